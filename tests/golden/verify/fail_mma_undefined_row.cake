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
    fb = 1.0
    for e in 0..fa.cols { fa[0, e] = 1.0 }
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2011]: the value of `fa` was never set and is stored to `y`
//   --> fail_mma_undefined_row.cake:14:25
//   14 |     for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
//      |                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    8 |     var fa: mma.a bf16[16, 16]
//      |     -------------------------- declared here without a value
//   at: role main, cta 0, warp 0, lane 0, iteration 0
//   why: an undefined value may not leave the CTA
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
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
