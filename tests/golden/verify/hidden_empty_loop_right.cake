// mode: gates
program uv target sm_80
dim N in 1..=100000
in x: f32[N, 32]
out y: f32[N, 32]
kernel run {
  grid (N)
  role main: warps 1 {
    var b: f32 = 0.0
    for i in 0..ceildiv(40 - cta, 8) { b = 1.0 }
    st y[cta, lane] <- b + ld x[cta, lane]
  }
}
//--- expected
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       12 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
