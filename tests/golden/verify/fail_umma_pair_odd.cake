// mode: gates
program p target sm_100a
in x: bf16[256, 64], w: bf16[64, 64]
out y: f32[256, 64]
kernel k {
  cluster 2
  grid (2)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 64]
  event full[1] count 1
  event both[1] count 2
  event done[1] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 64]
    if warp == 0 {
      tma.load a <- x[cluster.rank*128:+128, :] on full@0
      tma.load b <- w[cluster.rank*32:+32, :] on full@0
      expect full@0
      wait full@0
      arrive both@0 at 1
      if cluster.rank == 1 {
        wait.cluster both@0
        umma.2cta acc = a * b.T
        umma.commit.2cta done@0
      }
    }
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols step 4 {
      st y[cluster.rank*128 + f.row(0), e:+4] <- [f[0, e], f[0, e + 1], f[0, e + 2], f[0, e + 3]]
    }
  }
}
//--- expected
// error[CK2460]: `umma.2cta` in the CTA of rank 1; the even one of the pair issues it
//   --> fail_umma_pair_odd.cake:24:9
//   24 |         umma.2cta acc = a * b.T
//      |         ^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 1, warp 0
//   why: PTX ISA, tcgen05.mma .cta_group::2: one thread of the pair issues for both, and the shared memory of both is named by its addresses
//   fix (manual): `if cluster.rank % 2 == 0 { .. }` around the role's products
// bounds        proved         19 of 19 accesses and indices proved, for every shape that the guard admits
// alignment     proved         11 of 11 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
