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
    f = 1.0
    tmem.st acc <- f
    tmem.ld f <- acc
    tmem.wait st
    tmem.wait ld
    arrive put@0
    wait done@0
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
  }
}
//--- expected
// error[CK2442]: `tmem.ld` of `acc` comes before the `tmem.st` to it is known to be done
//   --> fail_tmem_st_same_warp.cake:17:18
//   17 |     tmem.ld f <- acc
//      |                  ^^^
//   16 |     tmem.st acc <- f
//      |     ---------------- issued here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 0, bytes 0..4
//   why: PTX ISA, tcgen05.wait: stores to tensor memory run beside the warp; `tmem.wait st` ends them, and an arrival after it tells other warps
//   fix (manual): insert `tmem.wait st` before this statement
//
// error[CK2442]: `umma` of `acc` comes before the `tmem.st` to it is known to be done
//   --> fail_tmem_st_same_warp.cake:29:10
//   29 |     umma acc = sa * sb.T
//      |          ^^^
//   16 |     tmem.st acc <- f
//      |     ---------------- issued here by role main, warp 0
//   at: role multiply, cta 0, warp 0, lane 0, bytes 0..4
//   why: PTX ISA, tcgen05.wait: stores to tensor memory run beside the warp; `tmem.wait st` ends them, and an arrival after it tells other warps
//   fix (manual): `tmem.wait st` behind the copy, before the arrival that hands over
//
// error[CK2443]: `umma` overwrites `acc` while the `tmem.ld` may still read it
//   --> fail_tmem_st_same_warp.cake:29:10
//   29 |     umma acc = sa * sb.T
//      |          ^^^
//   17 |     tmem.ld f <- acc
//      |     ---------------- issued here by role main, warp 0
//   at: role multiply, cta 0, warp 0, lane 0, bytes 0..4
//   why: PTX ISA, tcgen05.wait: loads from tensor memory run beside the warp; `tmem.wait ld` ends them, and an arrival after it tells other warps
//   fix (manual): `tmem.wait ld` behind the copy, before the arrival that hands over
// bounds        proved         12 of 12 accesses and indices proved, for every shape that the guard admits
// alignment     proved         11 of 11 vector accesses proved, for every shape that the guard admits
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
