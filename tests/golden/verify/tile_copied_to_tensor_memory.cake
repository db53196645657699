// mode: gates
program p target sm_100a
in x: bf16[128, 128], w: bf16[32, 64]
out y: f32[128, 32]
kernel run {
  grid (1)
  smem a: bf16[128, 128] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem left: bf16[128, 64]
  tmem acc: f32[128, 32]
  event there[1] count 1
  event done[2] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 {
      tma.load a <- x[:, :] on there@0
      tma.load b <- w[:, :] on there@0
      expect there@0
      wait there@0
      tmem.cp left <- a[:, 64:+64]
      umma acc = left * b.T
      umma.commit done@0
      wait done@0
      tmem.cp left <- a[:, 0:+64]
      umma acc += left * b.T
      umma.commit done@1
    }
    wait done@1
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
//--- expected
// bounds        proved         18 of 18 accesses and indices proved, for every shape that the guard admits
// alignment     proved         19 of 19 vector accesses proved, for every shape that the guard admits
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
