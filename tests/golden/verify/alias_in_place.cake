// mode: gates
program twice target sm_80
dim M in 1..=1000, N in 1..=1000
in x: f32[M, N]
out y: f32[M, N]
alias x, y
kernel run {
  grid (M)
  role main: warps 4 {
    for c in thread..N step 128 { st y[cta, c] <- (ld x[cta, c]) * 2.0 }
  }
}
//--- expected
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       10 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown; the loop in line 10 not closed: no state came again in 0 cuts
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       10 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors overlap only where `alias` says so (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
