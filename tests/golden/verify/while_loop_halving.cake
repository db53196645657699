// mode: gates
program p target sm_80
dim N in 1..=100000
in x: f32[N]
inout y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  smem t: f32[128]
  role main: warps 4 {
    st t[thread] <- ld x[cta*128 + thread] else 0.0
    sync cta
    var half = 64
    while half > 0 {
      if thread < half {
        let sum = (ld t[thread]) + (ld t[thread + half])
        st t[thread] <- sum
      }
      sync cta
      half = half / 2
    }
    if thread == 0 && cta < N { st y[cta] <- ld t[0] }
  }
}
//--- expected
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         bounded        12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 7 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 7 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   bounded        12 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 7 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
