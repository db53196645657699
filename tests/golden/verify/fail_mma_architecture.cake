// mode: gates
program p target sm_80
out y: f32[16, 8]
kernel k {
  grid (1)
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a e4m3[16, 32]
    var fb: mma.b e4m3[32, 8]
    var acc: mma f32[16, 8]
    fa = 1.0
    fb = 1.0
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK3201]: `mma of e4m3` needs sm_89; the target is sm_80
//   --> fail_mma_architecture.cake:13:5
//   13 |     mma acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
