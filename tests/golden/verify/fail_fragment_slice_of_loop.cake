// mode: gates
program p target sm_90a
out y: f32[16, 16]
kernel k {
  grid (1)
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var d: mma f32[16, 16]
    fa = 1.0
    fb = 1.0
    d = 0.0
    for n in 0..2 { mma d[:, n*4:+8] += fa * fb }
    for (r, e) in d { st y[d.row(r), d.col(e)] <- d[r, e] }
  }
}
//--- expected
// error[CK2130]: columns 4 to 12 of a fragment that has 16, in tiles of 8
//   --> fail_fragment_slice_of_loop.cake:14:21
//   14 |     for n in 0..2 { mma d[:, n*4:+8] += fa * fb }
//      |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, iteration 1
//   why: an instruction reads and writes whole tiles of columns, and registers have no neighbours
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
