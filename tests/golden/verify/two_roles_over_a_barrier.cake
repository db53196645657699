// mode: gates
program p target sm_80
dim N in 1..=100000
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 64))
  smem t: f32[64]
  barrier full threads 64
  role load: warps 1 {
    for h in 0..2 { st t[h*32 + lane] <- ld x[cta*64 + h*32 + lane] else 0.0 }
    bar.arrive full
  }
  role math: warps 1 {
    bar.sync full
    for h in 0..2 {
      let i = cta*64 + h*32 + lane
      if i < N { st y[i] <- 2.0*(ld t[h*32 + lane]) }
    }
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         12 of 12 index operations proved, for every shape that the guard admits
// races         explored       11 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       11 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       11 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
