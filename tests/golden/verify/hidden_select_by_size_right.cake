// mode: gates
program cov target sm_80
dim N in 1..=100000
in x: f32[N]
out y: f32[N]
kernel run {
  grid (ceildiv(N, 128))
  smem s: f32[128]
  role main: warps 4 {
    let i = cta*128 + thread
    st s[select(N == 77777, 127 - thread, thread)] <- ld x[i] else 0.0
    sync cta
    if i < N { st y[i] <- ld s[127 - thread] }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
