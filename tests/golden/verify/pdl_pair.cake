// mode: gates
program pair target sm_90
dim N in 1..=4096
in x: f32[N]; in static scale: f32[N]
out y: f32[N]
workspace half: f32[N]
kernel first {
  grid (ceildiv(N, 64))
  role main: warps 2 {
    let i = cta*64 + thread
    pdl.launch
    if i < N { st half[i] <- 0.5 * (ld x[i]) }
  }
}
kernel second pdl {
  grid (ceildiv(N, 64))
  barrier go threads 64
  role wait: warps 1 {
    pdl.wait
    bar.arrive go
  }
  role main: warps 1 {
    bar.sync go
    for h in 0..2 {
      let i = cta*64 + h*32 + lane
      if i < N { st y[i] <- (ld scale[i]) * (ld half[N - 1 - i]) }
    }
  }
}
//--- expected
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         explored       11 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`half` disjoint, `y` disjoint)
// deadlock      explored       11 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       11 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
