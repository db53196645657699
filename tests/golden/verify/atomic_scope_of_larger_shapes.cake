// mode: gates
program p target sm_80
dim N in 1..=1048576
in x: i32[N]
inout n: i32[1]
kernel k {
  grid (ceildiv(N, 65536))
  role main: warps 1 {
    for i in cta*65536 + lane .. min(N, (cta + 1)*65536) step 32 { red.add.relaxed.gpu(n[0], ld x[i]) }
  }
}
//--- expected
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`n` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
