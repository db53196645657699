// mode: gates
program p target sm_90
dim B in 1..=3, S in 1..=9
in x: f32[B, S, 64]
out y: f32[B, S, 64] stride (sb, ss, 1)
where sb % 4 == 0, ss % 4 == 0, ss in 64..=128, sb in 64..=4096, sb >= ss*S
kernel k {
  grid (B, ceildiv(S, 8))
  smem tile: f32[8, 64]
  role main: warps 2 {
    let b = cta.x
    let s = cta.y*8
    for r in 0..8 { st tile[r, thread] <- ld x[b, s + r, thread] else 0.0 }
    fence async; sync role
    once { tma.store y[b, s:+8, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       11 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       11 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       11 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
