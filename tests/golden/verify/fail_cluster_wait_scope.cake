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
    st row[lane] at (cluster.rank + 1) % 4 <- ld x[cta*32 + lane]
    arrive full@0 at (cluster.rank + 1) % 4
    wait full@0
    st y[cta*32 + lane] <- ld row[lane]
  }
}
//--- expected
// error[CK2426]: the wait before this access of `row` does not see what another CTA of the cluster did before it arrived
//   --> fail_cluster_wait_scope.cake:15:31
//   15 |     st y[cta*32 + lane] <- ld row[lane]
//      |                               ^^^^^^^^^
//   12 |     st row[lane] at (cluster.rank + 1) % 4 <- ld x[cta*32 + lane]
//      |     ------------------------------------------------------------- written here by role main, warp 0, CTA 0
//   14 |     wait full@0
//      |     ----------- this wait
//   at: role main, cta 1, warp 0, lane 0, bytes 0..4
//   why: a wait acquires for its own CTA; what CTAs of the cluster release is acquired by `wait.cluster`
//   fix (machine): say `wait.cluster`
//     14:9: insert `.cluster`
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
