// mode: gates
program uv target sm_80
dim K in 1..=100000
in x: f32[64*K]
out y: f32[64*K]
kernel run {
  grid (1)
  smem s[2]: f32[64]
  role main: warps 2 {
    for k in 0..K {
      st s@(abs(k - 200))[thread] <- ld x[64*k + thread]
      sync cta
      st y[64*k + thread] <- ld s@(abs(k - 200))[63 - thread]
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         9 of 9 index operations proved, for every shape that the guard admits
// races         bounded        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: a stage that data decides, so known of at most 206 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: a stage that data decides, so known of at most 206 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   bounded        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: a stage that data decides, so known of at most 206 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
