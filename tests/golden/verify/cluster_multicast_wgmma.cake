// mode: gates
program wgmma_multicast target sm_90a
// Half of w comes from each CTA of the cluster; a slot is refilled when the products of both are done.
dim K in 64..=4096
in x: bf16[128, K], w: bf16[128, K]
out y: f32[128, 128]
where K % 64 == 0
kernel run {
  cluster 2
  grid (2)
  ring ab[2] { a: bf16[64, 64] swizzle 128; b: bf16[128, 64] swizzle 128 } from load to math cluster
  role load: warps 1 {
    let half = cluster.rank*64
    for k in 0..K/64 {
      acquire ab@k
      tma.load ab.a@k <- x[half:+64, k*64:+64]
      tma.load ab.b@k[half:+64, :] <- w[half:+64, k*64:+64] multicast 3
      commit ab@k
    }
  }
  role math: warps 4 {
    var acc: wgmma f32[64, 128]
    for k in 0..K/64 {
      wait ab@k
      wgmma acc += ab.a@k * ab.b@k.T zero k == 0
      wgmma.commit
      wgmma.wait 0
      release ab@k
    }
    for (r, e) in acc { st y[cluster.rank*64 + acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// bounds        proved         11 of 11 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         explored       6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 14 not closed: CTAs of a cluster
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 14 not closed: CTAs of a cluster
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5, P7 checked in each run; P6 assumed)
// definedness   explored       6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
