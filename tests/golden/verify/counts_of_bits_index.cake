// mode: gates
program p target sm_80
in x: u32[32], w: i64[32], t: i32[33], u: i32[65]
out z: i64[32]
kernel run {
  grid (1)
  role main: warps 1 {
    let v = ld x[lane]
    st z[lane] <- mad.wide(ld t[popc(v)], ld t[clz(v)], mul.wide(ld u[popc(ld w[lane])], 2))
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`z` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
