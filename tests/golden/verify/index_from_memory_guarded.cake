// mode: gates
program p target sm_80
dim N in 1..=1000, K in 8..=1000
in ids: i32[N], x: f32[K]
out y: f32[N]
kernel gather {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N {
      let id = ld ids[i]
      st y[i] <- ld x[id] else 0.0
    }
  }
}
//--- expected
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       9 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       9 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
