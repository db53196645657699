// mode: gates
program p target sm_80
dim N in 1..=1000
in x: f32[128*N]
out y: f32[128*N]
kernel k {
  grid (1)
  ring tiles[2] { values: f32[128] } from fill to drain
  role fill: warps 4 {
    var k = 0
    while k < N {
      acquire tiles@k
      st tiles.values@k[thread] <- ld x[128*k + thread]
      commit tiles@k
      k += 1
    }
  }
  role drain: warps 2 {
    for k in 0..N {
      wait tiles@k
      for h in 0..2 { st y[128*k + 64*h + thread] <- ld tiles.values@k[127 - (64*h + thread)] }
      release tiles@k
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         10 of 10 index operations proved, for every shape that the guard admits
// races         bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 19 not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 19 not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 19 not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
