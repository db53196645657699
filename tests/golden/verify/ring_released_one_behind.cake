// mode: gates
program p target sm_80
dim N in 1..=10000
in x: f32[32*N]
out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[3] { values: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire tiles@k
      st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
      commit tiles@k
    }
  }
  role drain: warps 1 {
    var last = 0.0
    for k in 0..N {
      wait tiles@k
      let here = ld tiles.values@k[31 - lane]
      if k > 0 {
        st y[32*k + lane] <- here + (ld tiles.values@(k-1)[lane])
        release tiles@(k-1)
      } else {
        st y[lane] <- here
      }
    }
    release tiles@(N-1)
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         explored       7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; every trip count of the loop in line 10: what is known of shared memory and barriers after 9 trips is known again 3 trips later
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; every trip count of the loop in line 10: what is known of shared memory and barriers after 9 trips is known again 3 trips later
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   explored       7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
