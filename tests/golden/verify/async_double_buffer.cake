// mode: gates
program p target sm_80
dim T in 1..=9
in x: f32[T, 128]
out y: f32[T, 128]
kernel k {
  grid (1)
  smem tile[2]: f32[128]
  role main: warps 1 {
    cp.async tile@0[lane*4:+4] <- x[0, lane*4:+4]; cp.async.commit
    for t in 0..T {
      if t + 1 < T { cp.async tile@(t + 1)[lane*4:+4] <- x[t + 1, lane*4:+4] }
      cp.async.commit
      cp.async.wait 1; sync role
      for j in 0..4 { st y[t, j*32 + lane] <- ld tile@t[127 - j*32 - lane] }
      sync role
    }
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         12 of 12 index operations proved, for every shape that the guard admits
// races         explored       7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; every trip count of the loop in line 11: what is known of shared memory and barriers after 1 trip is known again 2 trips later
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; every trip count of the loop in line 11: what is known of shared memory and barriers after 1 trip is known again 2 trips later
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
