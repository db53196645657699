// mode: gates
program p target sm_100a
in a: bf16[128, 64], b: bf16[32, 64]
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event loaded[1] count 1
  event done[1] count 1
  event put[1] count 4
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    arrive put@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
  role multiply: warps 1 {
    tma.load sa <- a[:, :] on loaded@0
    tma.load sb <- b[:, :] on loaded@0
    expect loaded@0
    wait loaded@0
    umma acc = sa * sb.T
    umma.commit done@0
    wait put@0
    wait done@0
  }
}
//--- expected
// error[CK2440]: `tmem.ld` of `acc` comes before the `umma` that writes it is known to be complete
//   --> fail_umma_read_before_complete.cake:16:18
//   16 |     tmem.ld f <- acc
//      |                  ^^^
//   25 |     umma acc = sa * sb.T
//      |     -------------------- issued here by role multiply, warp 0
//   at: role main, cta 0, warp 0, lane 0, bytes 0..4
//   why: PTX ISA, tcgen05 memory consistency: a product is complete when an event that `umma.commit` arrives on is; only products of one accumulator, shape and kind follow each other by themselves
//   fix (manual): `umma.commit E@k` behind the product, and `wait E@k` here
// bounds        proved         11 of 11 accesses and indices proved, for every shape that the guard admits
// alignment     proved         10 of 10 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
