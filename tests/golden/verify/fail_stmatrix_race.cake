// mode: gates
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 8]
  role main: warps 1 {
    var acc: mma f32[16, 8]
    acc = 1.0
    stmatrix s <- cvt.bf16(acc)
    st y[lane/2, lane%2*4:+4] <- cvt.f32(ld s[lane/2, lane%2*4:+4])
  }
}
//--- expected
// error[CK2021]: `ld` of `s` by lane 1 is not ordered after the `stmatrix` by lane 0 of the same warp
//   --> fail_stmatrix_race.cake:11:45
//   11 |     st y[lane/2, lane%2*4:+4] <- cvt.f32(ld s[lane/2, lane%2*4:+4])
//      |                                             ^^^^^^^^^^^^^^^^^^^^^^
//   10 |     stmatrix s <- cvt.bf16(acc)
//      |     --------------------------- written here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 1, bytes 8..10
//   why: lanes of a warp do not run in lockstep; `sync warp` or a wider barrier orders their accesses
//   fix (maybe): insert `sync warp` before this statement
//     11:5: insert `sync warp\n    `
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
