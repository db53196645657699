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
    cluster.arrive.relaxed; cluster.wait
    st y[cta*64 + thread] <- ld half[63 - thread] at 1 - cluster.rank
  }
}
//--- expected
// error[CK2427]: `ld` of `half` by CTA 1 is not ordered after the `st` by CTA 0 of the same cluster
//   --> fail_cluster_relaxed_arrive.cake:12:33
//   12 |     st y[cta*64 + thread] <- ld half[63 - thread] at 1 - cluster.rank
//      |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   10 |     st half[thread] <- 0.5 * (ld x[cta*64 + thread])
//      |     ------------------------------------------------ written here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 1, lane 0, bytes 124..128
//   why: the CTAs of a cluster run at their own pace; their barrier, or an arrival `at` the other one that it waits for, orders their accesses
//   fix (maybe): insert `cluster.sync` before this statement
//     12:5: insert `cluster.sync\n    `
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
