// mode: gates
program p target sm_90
in x: f32[8, 32]
out y: f32[8, 32]
kernel k {
  cluster 4
  grid (8)
  smem s: f32[2, 32]
  event full[1] count 1
  role main: warps 1 {
    let r = cluster.rank % 2
    tma.load s[r, :] <- x[cta, :] on full@0 multicast 3 << (cluster.rank - r)
    expect full@0 bytes 256
    wait full@0
    st y[cta, lane] <- ld s[r, lane]
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5, P7 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
