// mode: gates
program p target sm_80
dim N in 0..=64
in x: f32[N, 32]
out y: f32[N, 32]
kernel k {
  grid (2)
  smem tile: f32[32]
  dynamic iter work() -> (i32) { for t in cta..N step ctas { yield t } }
  role math: warps 2 {
    for t in work() {
      if warp == 0 { st tile[lane] <- ld x[t, lane] }
      if warp == 1 { st y[t, lane] <- ld tile[lane] }
    }
  }
}
//--- expected
// error[CK2020]: `st` of `tile` by warp 0 is not ordered after the `ld` by warp 1
//   --> fail_dynamic_race.cake:12:25
//   12 |       if warp == 0 { st tile[lane] <- ld x[t, lane] }
//      |                         ^^^^^^^^^^
//   13 |       if warp == 1 { st y[t, lane] <- ld tile[lane] }
//      |                      ------------------------------ read here by role math, warp 1
//   at: role math, cta 0, warp 0, lane 0, bytes 0..4, N=1
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// global races  bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran (`y` not proven, `k.work` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
