// mode: gates
program dsmem target sm_90
in x: f32[256]
out y: f32[256]
kernel run {
  cluster 2
  grid (4)
  smem half: f32[64]
  role main: warps 2 {
    st half[thread] <- 0.5 * (ld x[cta*64 + thread])
    cluster.arrive; cluster.arrive
    st y[cta*64 + thread] <- ld half[63 - thread] at 1 - cluster.rank
  }
}
//--- expected
// error[CK2422]: a warp arrives again at the barrier of the cluster without having waited for it
//   --> fail_cluster_arrive_twice.cake:11:21
//   11 |     cluster.arrive; cluster.arrive
//      |                     ^^^^^^^^^^^^^^
//   11 |     cluster.arrive; cluster.arrive
//      |     -------------- its earlier arrival is here
//   at: role main, cta 0, warp 0
//   why: PTX ISA, barrier.cluster: each thread waits once between two of its arrivals
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
