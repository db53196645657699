// mode: gates
program p target sm_100a
// 64 rows in each CTA: the accumulator has its second half of columns in the lanes from 64 on.
in x: bf16[128, 64], w: bf16[64, 64]
out y: f32[128, 64]
kernel run {
  cluster 2
  grid (2)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[1] count 1
  event both[1] count 2
  event done[1] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    let m = cluster.rank*64
    if warp == 0 {
      tma.load a <- x[m:+64, :] on full@0
      tma.load b <- w[cluster.rank*32:+32, :] on full@0
      expect full@0
      wait full@0
      arrive both@0 at 0
      if cluster.rank == 0 {
        wait.cluster both@0
        umma.2cta acc = a * b.T
        umma.commit.2cta done@0
      }
    }
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    let row = f.row(0)
    for e in 0..f.cols { st y[m + row % 64, row / 64*32 + e] <- f[0, e] }
  }
}
//--- expected
// bounds        proved         13 of 13 accesses and indices proved, for every shape that the guard admits
// alignment     proved         10 of 10 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5, P7 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
