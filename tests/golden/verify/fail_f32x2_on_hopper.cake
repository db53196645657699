// mode: gates
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.f32x2([ld x[lane], 1.0])
    let b = cvt.f32(fma(a, a, a))
    st y[lane] <- b[0]
  }
}
//--- expected
// error[CK3201]: `fma` of `f32x2` needs sm_100; the target is sm_90a
//   --> fail_f32x2_on_hopper.cake:8:21
//    8 |     let b = cvt.f32(fma(a, a, a))
//      |                     ^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
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
