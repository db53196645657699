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
    st s[thread] <- ld x[i] else 0.0
    if N > 5 && cta != 700 { sync cta } else if N <= 5 { sync cta }
    if i < N { st y[i] <- ld s[127 - thread] }
  }
}
//--- expected
// error[CK2020]: `ld` of `s` by warp 1 is not ordered after the `st` by warp 2
//   --> fail_hidden_operand.cake:13:30
//   13 |     if i < N { st y[i] <- ld s[127 - thread] }
//      |                              ^^^^^^^^^^^^^^^
//   11 |     st s[thread] <- ld x[i] else 0.0
//      |     -------------------------------- written here by role main, warp 2
//   at: role main, cta 700, warp 1, lane 31, bytes 256..260, N=89729
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     13:5: insert `sync cta\n    `
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         refuted        26 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown; shown wrong at N=89729
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       26 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       26 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
