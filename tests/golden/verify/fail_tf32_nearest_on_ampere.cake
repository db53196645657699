// mode: gates
program p target sm_80
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    st y[lane] <- cvt.f32(cvt.tf32(ld x[lane]))
  }
}
//--- expected
// error[CK3201]: `cvt.tf32` of `f32` needs sm_90; the target is sm_80
//   --> fail_tf32_nearest_on_ampere.cake:7:27
//    7 |     st y[lane] <- cvt.f32(cvt.tf32(ld x[lane]))
//      |                           ^^^^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at 
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
