// mode: gates
program p target sm_90
dim M in 1..=40, N in 1..=48
in x: f32[M, N]
out y: f32[N, M]
where M % 4 == 0
kernel transpose {
  grid (ceildiv(N, 32), ceildiv(M, 32))
  smem tile: f32[32, 32] swizzle 128
  role main: warps 4 {
    let m = cta.y*32
    let n = cta.x*32
    for r in warp..32 step 4 { st tile[lane, r] <- ld x[m + r, n + lane] else 0.0 }
    fence async; sync role
    once { tma.store y[n:+32, m:+32] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       12 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown; the loop in line 13 not closed: places in shared memory that the trip or data decide
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       12 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown; the loop in line 13 not closed: places in shared memory that the trip or data decide
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
