// mode: gates
program late target sm_80
dim N in 1..=100000
in x: f32[32*N]
out y: f32[32*N]
kernel run {
  grid (1)
  ring t[3] { v: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire t@k
      st t.v@k[lane] <- ld x[32*k + lane]
      commit t@k
    }
  }
  role drain: warps 1 {
    for k in 0..N {
      if k != 777 { wait t@k }
      st y[32*k + lane] <- ld t.v@k[31 - lane]
      release t@k
    }
  }
}
//--- expected
// error[CK2066]: `t@777 (released)` may be complete before the wait for `t@774 (released)` has returned
//   --> fail_wait_left_out_once.cake:11:7
//   11 |       acquire t@k
//      |       ^^^^^^^^^^^
//   20 |       release t@k
//      |       ----------- an arrival that completes `t@777 (released)`
//   at: role drain, cta 0, warp 0, iteration 777, N=784
//   why: hardware tells generations apart by their parity only: a wait that is lapped by two of them blocks for ever
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         explored       17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=784
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
