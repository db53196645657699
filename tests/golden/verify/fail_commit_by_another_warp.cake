// mode: gates
program p target sm_100a
in a: bf16[128, 64], b: bf16[32, 64]
out y: f32[128, 32]
// The commit tracks the products of its own thread: of another warp's it says nothing.
kernel run {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[1] count 1
  event done[1] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 {
      tma.load sa <- a on full@0
      tma.load sb <- b on full@0
      expect full@0
    }
    if warp == 1 {
      wait full@0
      umma acc = sa * sb.T
    }
    if warp == 0 { umma.commit done@0 }
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols step 4 { st y[f.row(0), e:+4] <- [f[0, e], f[0, e + 1], f[0, e + 2], f[0, e + 3]] }
  }
}
//--- expected
// error[CK2440]: `tmem.ld` of `acc` comes before the `umma` that writes it is known to be complete
//   --> fail_commit_by_another_warp.cake:26:18
//   26 |     tmem.ld f <- acc
//      |                  ^^^
//   22 |       umma acc = sa * sb.T
//      |       -------------------- issued here by role main, warp 1
//   24 |     if warp == 0 { umma.commit done@0 }
//      |                    ------------------ this commit tracks the products of its own thread, which has issued none
//   at: role main, cta 0, warp 0, lane 0, bytes 0..4
//   why: PTX ISA, tcgen05 memory consistency: a product is complete when an event that `umma.commit` arrives on is; only products of one accumulator, shape and kind follow each other by themselves
//   fix (manual): let the warp that issues the product commit it
// bounds        proved         17 of 17 accesses and indices proved, for every shape that the guard admits
// alignment     proved         11 of 11 vector accesses proved, for every shape that the guard admits
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
