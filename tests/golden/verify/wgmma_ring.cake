// mode: gates
program p target sm_90a
dim K in 64..=512
in x: bf16[64, K], w: bf16[64, K]
out y: f32[64, 64]
where K % 64 == 0
kernel k {
  grid (1)
  ring ab[2] { a: bf16[64, 64] swizzle 128; b: bf16[64, 64] swizzle 128 } from load to math
  role load: warps 1 {
    for i in 0..K/64 {
      acquire ab@i
      tma.load ab.a@i <- x[:, i*64:+64]
      tma.load ab.b@i <- w[:, i*64:+64]
      commit ab@i
    }
  }
  role math: warps 4 {
    var acc: wgmma f32[64, 64]
    for i in 0..K/64 {
      wait ab@i
      wgmma acc += ab.a@i * ab.b@i.T zero i == 0
      wgmma.commit
      wgmma.wait 1
      if i > 0 { release ab@(i-1) }
    }
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         bounded        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 11 not closed: no state came again in 5 cuts, so known of at most 6 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 11 not closed: no state came again in 5 cuts, so known of at most 6 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   bounded        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 11 not closed: no state came again in 5 cuts, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
