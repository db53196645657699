// mode: gates
program dsm_histogram target sm_90
// 256 bins spread over the CTAs of a cluster; atomics in each other's shared memory.
dim N in 1..=1048576
in x: i32[N]

param C in {2, 4} = 2; param CL in {1, 2} = 2
out h: i32[CL, 256]
where x in 0..256
kernel count {
  cluster C
  const B = 256/C
  grid (C*CL)
  smem bins: i32[B]
  role main: warps 4 {
    for i in thread..B step 128 { st bins[i] <- 0 }
    cluster.sync
    for i in cta*128 + thread .. N step ctas*128 {
      let v = ld x[i]
      red.add.relaxed.cluster(bins[v % B] at v / B, 1)
    }
    cluster.sync
    for i in thread..B step 128 { st h[cluster.id, cluster.rank*B + i] <- ld bins[i] }
  }
}
//--- expected
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 3 more without arithmetic; 8 of 8 boundary values of dims and args shown; loop in line 16: 1 trip run, no shape has more; the loop in line 16 not closed: places in shared memory that the trip or data decide
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`h` disjoint)
// deadlock      explored       8 shapes run on the machine, all CTAs, one schedule; 3 more without arithmetic; 8 of 8 boundary values of dims and args shown; loop in line 16: 1 trip run, no shape has more; the loop in line 16 not closed: places in shared memory that the trip or data decide
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5, P7 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 3 more without arithmetic; 8 of 8 boundary values of dims and args shown; loop in line 16: 1 trip run, no shape has more
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: x in 0..256; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
