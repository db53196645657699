// mode: gates
program reverse target sm_80
in x: f32[128]
out y: f32[128]
alias x, y
kernel run {
  grid (1)
  role main: warps 4 { st y[thread] <- ld x[127 - thread] }
}
//--- expected
// error[CK2022]: `ld` of `x` in global memory by warp 2 is not ordered after the `st` by warp 1
//   --> fail_alias_read_by_another_warp.cake:8:43
//    8 |   role main: warps 4 { st y[thread] <- ld x[127 - thread] }
//      |                                           ^^^^^^^^^^^^^^^
//    8 |   role main: warps 4 { st y[thread] <- ld x[127 - thread] }
//      |                        ---------------------------------- written here by role main, warp 1
//   at: role main, cta 0, warp 2, lane 0, bytes 252..256
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors overlap only where `alias` says so (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
