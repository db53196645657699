// mode: gates
program p target sm_100
dim N in 1..=64
out y: i32[N]
kernel k {
  grid (N)
  smem answer: u64[2]
  event told[1] count 1
  role main: warps 1 {
    clc.try_cancel answer on told@0
    expect told@0
    let a = ld answer[0:+2]
    if lane == 0 { st y[cta] <- clc.cta(a[0], a[1]) }
    wait told@0
  }
}
//--- expected
// error[CK2100]: `ld` of `answer` comes before the `clc.try_cancel` that fills it is known to be complete
//   --> fail_clc_answer_not_awaited.cake:12:16
//   12 |     let a = ld answer[0:+2]
//      |                ^^^^^^^^^^^^
//   10 |     clc.try_cancel answer on told@0
//      |     ------------------------------- issued here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 0, bytes 0..8, N=1
//   why: the copy runs beside the threads; only a completed wait, and a barrier for other threads, orders what comes after it
//   fix (manual): wait for the event that the load completes on
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; threads learn from each other: one order of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; threads learn from each other: one order of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
