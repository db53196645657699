// mode: gates
program accumulate target sm_100a
dim K in 1..=1000
in a: bf16[128, 64*K], b: bf16[32, 64*K]
out y: f32[128, 32]
kernel run {
  grid (1)
  smem sa[2]: bf16[128, 64] swizzle 128
  smem sb[2]: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[2] count 1
  event free[2] count 1
  event done[1] count 1
  role store: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols step 4 {
      st y[f.row(0), e:+4] <- [f[0, e], f[0, e + 1], f[0, e + 2], f[0, e + 3]]
    }
  }
  role load: warps 1 {
    for k in 0..K {
      wait free@(k - 2)
      tma.load sa@k <- a[:, k*64:+64] on full@k
      tma.load sb@k <- b[:, k*64:+64] on full@k
      expect full@k
    }
  }
  role multiply: warps 1 {
    for k in 0..K {
      wait full@k
      umma acc += sa@k * sb@k.T zero k == 0
      umma.commit free@k
    }
    umma.commit done@0
  }
}
//--- expected
// error[CK2440]: `tmem.ld` of `acc` comes before the `umma` that writes it is known to be complete
//   --> fail_product_read_before_its_event.cake:16:18
//   16 |     tmem.ld f <- acc
//      |                  ^^^
//   33 |       umma acc += sa@k * sb@k.T zero k == 0
//      |       ------------------------------------- issued here by role multiply, warp 0
//   at: role store, cta 0, warp 0, lane 0, bytes 0..4, K=1
//   why: PTX ISA, tcgen05 memory consistency: a product is complete when an event that `umma.commit` arrives on is; only products of one accumulator, shape and kind follow each other by themselves
//   fix (manual): `wait done@k` here, which `umma.commit` arrives on
// bounds        proved         17 of 17 accesses and indices proved, for every shape that the guard admits
// alignment     proved         11 of 11 vector accesses proved, for every shape that the guard admits
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at K=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
