// mode: gates
program dy target sm_90
dim N in 0..=4096
in x: f32[N, 128]
out y: f32[N, 128]
kernel k {
  grid (SMS)
  ring row[2] { v: f32[128] } from load to math
  iter work() -> (i32) { for t in cta..N step ctas { yield t } }
  role load: warps 1 {
    for t in work() { acquire row@t; bulk.load row.v@t <- x[t, :]; commit row@t }
  }
  role math: warps 4 {
    for t in work() { wait row@t; st y[t, thread] <- ld row.v@t[thread]; release row@t }
  }
}
//--- expected
// error[CK2068]: `acquire row` of use 1; the next use of this warp is 0
//   --> fail_persistent_ring_use.cake:11:23
//   11 |     for t in work() { acquire row@t; bulk.load row.v@t <- x[t, :]; commit row@t }
//      |                       ^^^^^^^^^^^^^
//   at: role load, cta 1, warp 0, iteration 0, N=2, SMS=4
//   why: a warp uses every slot in turn, as hardware counts generations and not uses: skip one by wait and release
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         explored       9 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        9 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown; shown wrong at N=2, SMS=4
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       9 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
