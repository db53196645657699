// mode: gates
program kk target sm_80
dim K in 1..=100000
in x: f32[32*K]
out y: f32[32*K]
kernel run {
  grid (1)
  smem s[3]: f32[32]
  event full[3] count 1
  event free[3] count 1
  role a: warps 1 {
    for k in 0..K {
      wait free@(k-3)
      st s@(k + 3*(k & 512))[lane] <- ld x[32*k + lane]
      arrive full@k
    }
  }
  role b: warps 1 {
    for k in 0..K {
      wait full@k
      st y[32*k + lane] <- ld s@(k + 3*(k & 512))[31 - lane]
      arrive free@k
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         10 of 10 index operations proved, for every shape that the guard admits
// races         bounded        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 12 not closed: a stage that data decides, so known of at most 1034 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 12 not closed: a stage that data decides, so known of at most 1034 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 12 not closed: a stage that data decides, so known of at most 1034 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
