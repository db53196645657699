// mode: gates
program p target sm_90a
in x: bf16[128, 64], w: bf16[256, 64]
out y: f32[4, 64, 256]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[256, 64] swizzle 128
  event full[1] count 1
  role main: warps 16 {
    var acc: wgmma f32[64, 256]
    if warp == 0 { tma.load a <- x on full@0; tma.load b <- w on full@0; expect full@0 }
    wait full@0
    wgmma acc = a[wg%2*64:+64, :] * b.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[wg, acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2548]: this product holds 128 registers of each thread and needs 26 beside them; a thread has 128
//   --> fail_product_registers.cake:14:5
//   14 |     wgmma acc = a[wg%2*64:+64, :] * b.T
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: an accumulator lies in registers from its first product to its last: the registers of an SM are divided among the threads of the CTA, 255 for one at most
//   fix (manual): fewer columns, or fewer warps in all: `regs` does not widen an instruction
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     unknown        1 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
