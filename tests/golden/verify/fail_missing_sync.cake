// mode: gates
program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  smem t: f32[64]
  role main: warps 2 {
    st t[thread] <- 1.0
    if thread < N { st y[thread] <- ld t[63 - thread] }
  }
}
//--- expected
// error[CK2020]: `ld` of `t` by warp 0 is not ordered after the `st` by warp 1
//   --> fail_missing_sync.cake:10:40
//   10 |     if thread < N { st y[thread] <- ld t[63 - thread] }
//      |                                        ^^^^^^^^^^^^^^
//    9 |     st t[thread] <- 1.0
//      |     ------------------- written here by role main, warp 1
//   at: role main, cta 0, warp 0, lane 0, bytes 252..256, N=1
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     10:5: insert `sync cta\n    `
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
