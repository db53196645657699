// mode: gates
program ring_pass target sm_90
// Each CTA hands its row to the next one by an arrival there.
in x: f32[256]
out y: f32[256]
kernel run {
  cluster 4
  grid (8)
  smem row: f32[32]
  event full[1] count 1
  role main: warps 1 {
    st row[lane] at cluster.rank + 1 <- ld x[cta*32 + lane]
    arrive full@0 at cluster.rank + 1
    wait.cluster full@0
    st y[cta*32 + lane] <- ld row[lane]
  }
}
//--- expected
// error[CK2420]: `at` names rank 4 of a cluster of 4
//   --> fail_cluster_rank_outside.cake:12:5
//   12 |     st row[lane] at cluster.rank + 1 <- ld x[cta*32 + lane]
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 3, warp 0, lane 0
//   why: the CTAs of a cluster have the ranks 0 up to its size; beyond them there is no shared memory
//   fix (manual): take it modulo the size of the cluster
//
// error[CK2431]: the rank `cluster.rank + 1` is not proven to be in 0..=3
//   --> fail_cluster_rank_outside.cake:13:22
//   13 |     arrive full@0 at cluster.rank + 1
//      |                      ^^^^^^^^^^^^^^^^
//   why: beyond the last CTA of the cluster there is no shared memory, and the access faults
//   fix (manual): take it modulo the size of the cluster
// bounds        refuted        5 of 7 accesses and indices proved, for every shape that the guard admits; shown wrong at the only shape
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
