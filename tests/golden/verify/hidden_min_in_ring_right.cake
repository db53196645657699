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
      wgmma acc += ab.a@(min(k, 100000))[wg*64:+64, :] * ab.b@k.T zero k == 0
      wgmma.commit
      wgmma.wait 1
      if k > 0 { release ab@(k-1) }
    }
    wgmma.wait 0
    for (r, e) in acc { st y[wg*64 + acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// advice[CK2590]: no run of the machine repeats this loop more than 9 times; 100008 would show all that can go wrong
//   --> hidden_min_in_ring_right.cake:19:5
//   19 |     for k in 0..K {
//      |     ^^^^^^^^^^^^^^^
//   why: a slot, generation or group that is used again too early is first touched by the trip that comes round to it: stages, lag and the constants of conditions, and 3 trips more
//   fix (manual): count the trips from dims, and let the guard admit small shapes with that many
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         bounded        9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 19: at most 9 trips run of 100008 needed; the loop in line 10 not closed: a stage that data decides, so known of at most 9 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 19: at most 9 trips run of 100008 needed; the loop in line 10 not closed: a stage that data decides, so known of at most 9 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   bounded        9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 19: at most 9 trips run of 100008 needed; the loop in line 10 not closed: a stage that data decides, so known of at most 9 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
