// mode: gates
program gg target sm_90a
dim K in 1..=100000
in x: bf16[128, 64*K], w: bf16[64, 64*K]
out y: f32[128, 64]
kernel run {
  grid (1)
  ring ab[3] { a: bf16[128, 64] swizzle 128; b: bf16[64, 64] swizzle 128 } from load to math
  role load: warps 1 regs 40 {
    for k in 0..K {
      acquire ab@k
      tma.load ab.a@k <- x[:, k*64:+64]
      tma.load ab.b@k <- w[:, k*64:+64]
      commit ab@k
    }
  }
  role math: warps 8 regs 232 {
    var acc: wgmma f32[64, 64]
    for k in 0..K {
      wait ab@k
      wgmma acc += ab.a@(min(k, 5))[wg*64:+64, :] * ab.b@k.T zero k == 0
      wgmma.commit
      wgmma.wait 1
      if k > 0 { release ab@(k-1) }
    }
    wgmma.wait 0
    for (r, e) in acc { st y[wg*64 + acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2400]: `tma.load` overwrites `ab.a` while the `wgmma` may still read it
//   --> fail_hidden_min_in_ring.cake:24:18
//   24 |       if k > 0 { release ab@(k-1) }
//      |                  ^^^^^^^^^^^^^^^^
//   21 |       wgmma acc += ab.a@(min(k, 5))[wg*64:+64, :] * ab.b@k.T zero k == 0
//      |       ------------------------------------------------------------------ issued here by role math
//   12 |       tma.load ab.a@k <- x[:, k*64:+64]
//      |                ------ overwritten here by role load
//   at: role load, cta 0, warp 0, lane 0, iteration 8, bytes 32768..32770, K=13
//   why: the tensor cores read their operands beside the threads, until `wgmma.wait` returns for the group of the product; only then may the buffer be given back
//   fix (manual): insert `wgmma.wait 0` before this statement
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         refuted        10 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at K=13
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       10 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       10 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
