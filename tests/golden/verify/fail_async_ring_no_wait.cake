// mode: gates
program p target sm_80
dim T in 1..=9
in x: f32[T, 128]
out y: f32[T, 128]
kernel k {
  grid (1)
  ring rows[3] { line: f32[128] } from load to store
  role load: warps 1 {
    for t in 0..T {
      acquire rows@t
      cp.async rows.line@t[lane*4:+4] <- x[t, lane*4:+4]
      commit rows@t
    }
  }
  role store: warps 2 {
    for t in 0..T {
      if t > 0 { wait rows@(t - 1) }
      for j in 0..2 { st y[t, j*64 + thread] <- ld rows.line@t[127 - j*64 - thread] }
      release rows@t
    }
  }
}
//--- expected
// error[CK2100]: `ld` of `rows.line` comes before the `cp.async` that fills it is known to be complete
//   --> fail_async_ring_no_wait.cake:19:52
//   19 |       for j in 0..2 { st y[t, j*64 + thread] <- ld rows.line@t[127 - j*64 - thread] }
//      |                                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   12 |       cp.async rows.line@t[lane*4:+4] <- x[t, lane*4:+4]
//      |       -------------------------------------------------- issued here by role load, warp 0
//   at: role store, cta 0, warp 0, lane 0, iteration 0, bytes 508..512, T=1
//   why: the copy runs beside the threads; only a completed wait, and a barrier for other threads, orders what comes after it
//   fix (manual): `cp.async.commit` and `cp.async.wait 0` by the threads that copy, then a barrier that both sides reach
//
// error[CK2064]: this warp arrives at `rows@3 (released)` without knowing that `rows@0 (released)` is complete
//   --> fail_async_ring_no_wait.cake:20:7
//   20 |       release rows@t
//      |       ^^^^^^^^^^^^^^
//   at: role store, cta 0, warp 0, iteration 3, T=6
//   why: both are one mbarrier: until the earlier generation is complete, the arrival counts into it
//   fix (manual): let this warp wait for the earlier use, or for what follows it, before it arrives again
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at T=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at T=6
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
