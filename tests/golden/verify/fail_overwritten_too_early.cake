// mode: gates
program p target sm_80
dim N in 1..=1000
out y: f32[N]
kernel k {
  grid (1)
  smem t: f32[64]
  role main: warps 2 {
    for r in 0..ceildiv(N, 64) {
      st t[thread] <- 1.0
      sync cta
      let i = r*64 + thread
      if i < N { st y[i] <- ld t[63 - thread] }
    }
  }
}
//--- expected
// error[CK2020]: `st` of `t` by warp 1 is not ordered after the `ld` by warp 0
//   --> fail_overwritten_too_early.cake:10:10
//   10 |       st t[thread] <- 1.0
//      |          ^^^^^^^^^
//   13 |       if i < N { st y[i] <- ld t[63 - thread] }
//      |                  ---------------------------- read here by role main, warp 0
//   at: role main, cta 0, warp 1, lane 31, bytes 252..256, N=65
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     10:7: insert `sync cta\n      `
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         refuted        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=65
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
