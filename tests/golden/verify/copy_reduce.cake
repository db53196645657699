// mode: gates
program p target sm_90
dim K in 1..=5
in x: f32[K, 16, 64]
workspace part: f32[16, 64] zero
out y: f32[16, 64]
kernel add {
  grid (K)
  smem tile: f32[16, 64] swizzle 128
  role main: warps 2 {
    for r in 0..16 { st tile[r, thread] <- ld x[cta, r, thread] }
    fence async; sync role
    once { tma.reduce.add part[:, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
kernel take {
  grid (16)
  role main: warps 2 { st y[cta, thread] <- ld part[cta, thread] }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         explored       3 shapes run on the machine, all CTAs, one schedule; 3 of 3 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`part` disjoint, `y` disjoint)
// deadlock      explored       3 shapes run on the machine, all CTAs, one schedule; 3 of 3 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       3 shapes run on the machine, all CTAs, one schedule; 3 of 3 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
