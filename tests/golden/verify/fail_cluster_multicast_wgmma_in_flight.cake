// mode: gates
program wgmma_multicast target sm_90a
// Half of w comes from each CTA of the cluster; a slot is given back while the products may still read it.
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
      release ab@k
      wgmma.wait 0
    }
    for (r, e) in acc { st y[cluster.rank*64 + acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2400]: `tma.load` overwrites `ab.a` while the `wgmma` may still read it
//   --> fail_cluster_multicast_wgmma_in_flight.cake:27:7
//   27 |       release ab@k
//      |       ^^^^^^^^^^^^
//   25 |       wgmma acc += ab.a@k * ab.b@k.T zero k == 0
//      |       ------------------------------------------ issued here by role math
//   16 |       tma.load ab.a@k <- x[half:+64, k*64:+64]
//      |                ------ overwritten here by role load
//   at: role load, cta 0, warp 0, lane 0, iteration 2, bytes 0..2, K=192
//   why: the tensor cores read their operands beside the threads, until `wgmma.wait` returns for the group of the product; only then may the buffer be given back
//   fix (machine): insert `wgmma.wait 0` before this statement
//     27:7: insert `wgmma.wait 0\n      `
// bounds        proved         11 of 11 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         refuted        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at K=192
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
