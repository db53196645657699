// mode: gates
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    for (r, e) in fa { fa[r, e] = 1.0 }
    for (r, e) in fb { fb[r, e] = 1.0 }
    mma acc += fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2011]: the value of `acc` was never set and is stored to `y`
//   --> fail_mma_undefined_accumulator.cake:14:25
//   14 |     for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
//      |                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   10 |     var acc: mma f32[16, 8]
//      |     ----------------------- declared here without a value
//   at: role main, cta 0, warp 0, lane 0, iteration 0
//   why: an undefined value may not leave the CTA
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
