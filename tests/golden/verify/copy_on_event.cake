// mode: gates
program p target sm_90
dim M in 1..=24
in x: bf16[M, 64]
out y: bf16[M, 64]
kernel copy {
  grid (ceildiv(M, 8))
  smem tile: bf16[8, 64]
  event full[1] count 1
  role load: warps 1 { tma.load tile <- x[cta*8:+8, :] on full@0; expect full@0 }
  role store: warps 2 {
    wait full@0
    for r in warp..8 step 2 {
      let m = cta*8 + r
      if m < M { st y[m, lane*2:+2] <- ld tile[r, lane*2:+2] }
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 13 not closed: a condition that is no threshold and no remainder
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 13 not closed: a condition that is no threshold and no remainder
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
