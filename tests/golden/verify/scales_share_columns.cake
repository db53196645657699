// mode: gates
program example target sm_100a
in a: e2m1x2[128, 64], b: e2m1x2[32, 64], sa: ue4m3[2, 32, 16], sb: ue4m3[2, 32, 16]
out y: f32[128, 32]
kernel run {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[2, 32, 16]
  smem ub: ue4m3[2, 32, 16]
  tmem acc: f32[128, 32]
  either { tmem va: ue4m3[128, 8] } or { tmem other: ue4m3[128, 8]; tmem wide: f32[128, 8] }
  tmem vb: ue4m3[128, 8]
  event loaded[1] count 1
  event done[2] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 {
      tma.load ta <- a[:, :] on loaded@0
      tma.load tb <- b[:, :] on loaded@0
      tma.load ua <- sa[:, :, :] on loaded@0
      tma.load ub <- sb[:, :, :] on loaded@0
      expect loaded@0
      wait loaded@0
      tmem.cp va <- ua
      tmem.cp vb <- ub
      umma acc = ta * tb.T scale va, vb
      umma.commit done@0
      wait done@0
      tmem.cp other <- ub
      umma acc += ta * tb.T scale other, vb
      umma.commit done@1
    }
    wait done@1
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
//--- expected
// bounds        proved         28 of 28 accesses and indices proved, for every shape that the guard admits
// alignment     proved         28 of 28 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
