// mode: gates
program p target sm_90a
in x: bf16[128, 64], w: bf16[64, 64]
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    for r in warp..128 step 4 { st a[r, lane*2:+2] <- ld x[r, lane*2:+2] }
    for r in warp..64 step 4 { st b[r, lane*2:+2] <- ld w[r, lane*2:+2] }
    fence async; sync role
    var acc: wgmma f32[64, 64]
    wgmma acc = a[64:+64, :] * b.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule; the loop in line 10 not closed: places in shared memory that the trip or data decide
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule; the loop in line 10 not closed: places in shared memory that the trip or data decide
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
