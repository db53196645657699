// mode: gates
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    fb = 1.0
    for c in 0..2 { st s[lane/2, lane%2*8 + c*4:+4] <- 1.0 }
    ldmatrix fa <- s
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2021]: `ldmatrix` of `s` by lane 1 is not ordered after the `st` by lane 2 of the same warp
//   --> fail_ldmatrix_race.cake:13:20
//   13 |     ldmatrix fa <- s
//      |                    ^
//   12 |     for c in 0..2 { st s[lane/2, lane%2*8 + c*4:+4] <- 1.0 }
//      |                     -------------------------------------- written here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 1, bytes 32..34
//   why: lanes of a warp do not run in lockstep; `sync warp` or a wider barrier orders their accesses
//   fix (maybe): insert `sync warp` before this statement
//     13:5: insert `sync warp\n    `
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
