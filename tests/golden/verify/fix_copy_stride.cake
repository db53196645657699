// mode: gates-fix
program p target sm_90
dim M in 1..=20, N in 32..=40
inout y: f32[M, N]
kernel k {
  grid (ceildiv(M, 16))
  smem tile: f32[16, 32] swizzle 128
  role main: warps 1 {
    for r in 0..16 { st tile[r, lane] <- 1.0 }
    fence async; sync role
    once { tma.store y[cta*16:+16, 0:+32] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// // mode: gates-fix
// program p target sm_90
// dim M in 1..=20, N in 32..=40
// inout y: f32[M, N]
// where N % 4 == 0
// kernel k {
//   grid (ceildiv(M, 16))
//   smem tile: f32[16, 32] swizzle 128
//   role main: warps 1 {
//     for r in 0..16 { st tile[r, lane] <- 1.0 }
//     fence async; sync role
//     once { tma.store y[cta*16:+16, 0:+32] <- tile; tma.commit; tma.wait.read 0 }
//   }
// }
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       8 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
