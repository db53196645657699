// mode: gates
program poll target sm_90
in x: f32[128]
out y: f32[128]
kernel run {
  grid (1)
  smem s: f32[128]
  event full[1] count 1
  role main: warps 4 {
    if warp == 0 { bulk.load s <- x on full@0; expect full@0 }
    let done = test(full@0)
    var v = 0.0
    if done { v = 1.0 }
    st y[thread] <- v * (ld s[127 - thread])
  }
}
//--- expected
// error[CK2100]: `ld` of `s` comes before the `bulk.load` that fills it is known to be complete
//   --> fail_test_not_heeded.cake:14:29
//   14 |     st y[thread] <- v * (ld s[127 - thread])
//      |                             ^^^^^^^^^^^^^^^
//   10 |     if warp == 0 { bulk.load s <- x on full@0; expect full@0 }
//      |                    -------------------------- issued here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 0, bytes 508..512
//   why: the copy runs beside the threads; only a completed wait, and a barrier for other threads, orders what comes after it
//   fix (manual): wait for the event that the load completes on
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, five schedules; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, five schedules; threads learn from each other: five orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        1 shape run on the machine, all CTAs, five schedules; threads learn from each other: five orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
