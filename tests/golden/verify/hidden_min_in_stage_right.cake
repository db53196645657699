// mode: gates
program ds target sm_80
dim K in 1..=4096
in a: f32[128, K]
out c: f32[128, K]
kernel run {
  grid (1)
  smem s[2]: f32[128]
  role main: warps 4 {
    for k in 0..K {
      st s@(min(k, 6) + k - min(k, 6))[thread] <- ld a[thread, k]
      sync cta
      st c[thread, k] <- ld s@k[127 - thread]
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         bounded        12 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: a stage that data decides, so known of at most 12 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`c` disjoint)
// deadlock      bounded        12 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: a stage that data decides, so known of at most 12 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   bounded        12 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: a stage that data decides, so known of at most 12 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
