// mode: gates
program p target sm_80
in u: u32[64]; out y: u32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    st y[lane] <- vmin(ld u[lane], 65537)
  }
}
//--- expected
// error[CK3201]: `vmin` needs sm_90; the target is sm_80
//   --> fail_vmin_on_ampere.cake:7:19
//    7 |     st y[lane] <- vmin(ld u[lane], 65537)
//      |                   ^^^^^^^^^^^^^^^^^^^^^^^
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
