// mode: gates
program fl target sm_80
dim N in 1..=1000
in x: f32[N, 64]
out y: f32[N, 32]
kernel run {
  grid (N)
  smem s: f32[64]
  role main: warps 2 {
    let m = ld x[cta, 0]
    st s[thread] <- ld x[cta, thread]
    if m == m { sync cta }
    if warp == 0 { st y[cta, lane] <- (ld s[lane]) + (ld s[32 + lane]) }
  }
}
//--- expected
// error[CK2020]: `ld` of `s` by warp 0 is not ordered after the `st` by warp 1
//   --> fail_hidden_not_a_number.cake:13:58
//   13 |     if warp == 0 { st y[cta, lane] <- (ld s[lane]) + (ld s[32 + lane]) }
//      |                                                          ^^^^^^^^^^^^
//   11 |     st s[thread] <- ld x[cta, thread]
//      |     --------------------------------- written here by role main, warp 1
//   at: role main, cta 0, warp 0, lane 0, bytes 128..132, N=1
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     13:5: insert `sync cta\n    `
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
