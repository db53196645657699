// mode: gates
program p target sm_80
in x: f32[64]
out y: f32[64]
kernel k {
  grid (1)
  either { smem a: f32[64] } or { smem b: f32[64] }
  role main: warps 2 {
    st a[thread] <- ld x[thread]
    sync cta
    let v = ld a[63 - thread]
    st b[thread] <- v
    sync cta
    st y[thread] <- ld b[thread]
  }
}
//--- expected
// error[CK2020]: `st` of `b` by warp 1 is not ordered after the `ld` by warp 0
//   --> fail_either_race.cake:12:8
//   12 |     st b[thread] <- v
//      |        ^^^^^^^^^
//   11 |     let v = ld a[63 - thread]
//      |     ------------------------- read here by role main, warp 0
//   at: role main, cta 0, warp 1, lane 31, bytes 252..256
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     12:5: insert `sync cta\n    `
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
