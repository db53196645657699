// mode: gates
program p target sm_90
dim N in 0..=4096
in x: f32[N, 32]
out y: f32[N, 32]
// Each CTA fills the other one's row again while that may still read it.
kernel run {
  cluster 2
  grid (SMS)
  smem row: f32[32]
  role main: warps 1 {
    for t in cluster.id..ceildiv(N, 2) step clusters {
      st row[lane] at 1 - cluster.rank <- ld x[t*2 + cluster.rank, lane] else 0.0
      cluster.sync
      let n = t*2 + 1 - cluster.rank
      if n < N { st y[n, lane] <- ld row[lane] }
    }
  }
}
//--- expected
// error[CK2427]: `st` of `row` by CTA 1 is not ordered after the `ld` by CTA 0 of the same cluster
//   --> fail_cluster_refilled_too_early.cake:13:10
//   13 |       st row[lane] at 1 - cluster.rank <- ld x[t*2 + cluster.rank, lane] else 0.0
//      |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   16 |       if n < N { st y[n, lane] <- ld row[lane] }
//      |                  ----------------------------- read here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, bytes 0..4, N=3, SMS=2
//   why: the CTAs of a cluster run at their own pace; their barrier, or an arrival `at` the other one that it waits for, orders their accesses
//   fix (maybe): insert `cluster.sync` before this statement
//     13:7: insert `cluster.sync\n      `
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         refuted        7 shapes run on the machine, all CTAs, one schedule; 7 of 7 boundary values of dims and args shown; shown wrong at N=3, SMS=2
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       7 shapes run on the machine, all CTAs, one schedule; 7 of 7 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       7 shapes run on the machine, all CTAs, one schedule; 7 of 7 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 2..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
