// mode: gates
program p target sm_80
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 8]
  role main: warps 1 {
    var acc: mma f32[16, 8]
    acc = 1.0
    stmatrix s <- cvt.bf16(acc)
    sync warp
    st y[lane/2, lane%2*4:+4] <- cvt.f32(ld s[lane/2, lane%2*4:+4])
  }
}
//--- expected
// error[CK3201]: `stmatrix` needs sm_90; the target is sm_80
//   --> fail_stmatrix_architecture.cake:10:5
//   10 |     stmatrix s <- cvt.bf16(acc)
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
