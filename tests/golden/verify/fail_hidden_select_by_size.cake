// mode: gates
program cov target sm_80
dim N in 1..=100000
in x: f32[N]
out y: f32[N]
kernel run {
  grid (ceildiv(N, 128))
  smem s: f32[128]
  role main: warps 4 {
    let i = cta*128 + thread
    st s[select(N == 77777, thread/2, thread)] <- ld x[i] else 0.0
    sync cta
    if i < N { st y[i] <- ld s[127 - thread] }
  }
}
//--- expected
// error[CK2021]: `st` of `s` by lane 1 is not ordered after the `st` by lane 0 of the same warp
//   --> fail_hidden_select_by_size.cake:11:8
//   11 |     st s[select(N == 77777, thread/2, thread)] <- ld x[i] else 0.0
//      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     st s[select(N == 77777, thread/2, thread)] <- ld x[i] else 0.0
//      |     -------------------------------------------------------------- written here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 1, bytes 0..4, N=77777
//   why: lanes of a warp do not run in lockstep; `sync warp` or a wider barrier orders their accesses
//
// error[CK2010]: `s[127 - thread]` reads bytes that nothing has written, and the value is used
//   --> fail_hidden_select_by_size.cake:13:30
//   13 |     if i < N { st y[i] <- ld s[127 - thread] }
//      |                              ^^^^^^^^^^^^^^^
//   13 |     if i < N { st y[i] <- ld s[127 - thread] }
//      |                ----------------------------- the value is stored to global memory here
//   at: role main, cta 0, warp 0, lane 0, N=77777
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         refuted        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=77777
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=77777
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
