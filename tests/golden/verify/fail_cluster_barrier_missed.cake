// mode: gates
program uneven target sm_90
in x: f32[256]
out y: f32[256]
kernel run {
  cluster 2
  grid (4)
  smem half: f32[64]
  role a: warps 1 {
    st half[thread] <- 0.5 * (ld x[cta*64 + thread])
    cluster.sync
  }
  role b: warps 1 {
    st y[cta*64 + thread] <- 0.0
  }
}
//--- expected
// error[CK2425]: not all warps of the cluster reach its barrier
//   --> fail_cluster_barrier_missed.cake:11:5
//   11 |     cluster.sync
//      |     ^^^^^^^^^^^^
//   11 |     cluster.sync
//      |     ------------ missing: role b of rank 0 ended; role b of rank 1 ended
//   at: role a, cta 0, warp 0
//   waits: role a on the barrier of the cluster: 0 of 0 arrived, missing role b of rank 0 ended; role b of rank 1 ended
//   why: every warp of every CTA of the cluster arrives, the same number of times
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
