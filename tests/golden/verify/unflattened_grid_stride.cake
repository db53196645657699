// mode: gates
program p target sm_80
dim M in 1..=4096, N in 1..=65536
in x: f32[M, N]
out y: f32[M, N]
kernel k {
  let T = ceildiv(N, 32)
  grid (SMS)
  role main: warps 1 {
    for t in cta..T*M step ctas {
      let m = t / T
      let c = t % T*32 + lane
      if c < N { st y[m, c] <- ld x[m, c] }
    }
  }
}
//--- expected
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       19 shapes run on the machine, all CTAs, one schedule; 18 of 18 boundary values of dims and args shown; the loop in line 10 not closed: a condition that is no threshold and no remainder
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       19 shapes run on the machine, all CTAs, one schedule; 18 of 18 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
