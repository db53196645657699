// mode: gates
program tri target sm_80
dim N in 1..=100000
in x: f32[N, 32]
out y: f32[N, 32]
kernel run {
  grid (N)
  role main: warps 1 {
    var best: f32
    for j in 0..max(8 - cta, 1) { if j == 0 { best = 0.0 }; best = max(best, ld x[min(j, N - 1), lane]) }
    st y[cta, lane] <- best
  }
}
//--- expected
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       10 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       10 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
