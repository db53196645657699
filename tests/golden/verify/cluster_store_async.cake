// mode: gates
program stasync target sm_90
in x: f32[256]
out y: f32[256]
kernel run {
  cluster 2
  grid (2)
  smem row: f32[128]
  event full[1] count 1
  role main: warps 1 {
    expect full@0 bytes 512
    st.async row[4*lane:+4] at 1 - cluster.rank <- ld x[cta*128 + 4*lane:+4] on full@0
    wait full@0
    for i in 0..4 { st y[cta*128 + 32*i + lane] <- ld row[127 - 32*i - lane] }
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         12 of 12 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5, P7 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
