// mode: gates
program p target sm_100a
// The left operand stays in tensor memory, a byte for each number, for all tiles of the right one.
dim N in 1..=64
in x: e2m3x4[128, 32], w: e2m1x2[32*N, 64]
out y: f32[128, 32*N]
where align(x) % 32 == 0, align(w) % 32 == 0
kernel run {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  smem b[2]: e2m1[32, 128] swizzle 128
  tmem left: e2m3[128, 128]
  tmem acc: f32[128, 32]
  event there[1] count 1
  event full[2] count 1
  event free[2] count 1
  event done[1] count 1
  event read[1] count 4
  role load: warps 1 {
    tma.load a <- x[:, :] on there@0
    expect there@0
    for t in 0..N {
      wait free@(t - 2)
      tma.load b@t <- w[t*32:+32, :] on full@t
      expect full@t
    }
  }
  role multiply: warps 1 {
    wait there@0
    tmem.cp left <- a
    for t in 0..N {
      wait full@t
      wait read@(t - 1)
      umma acc = left * b@t.T
      umma.commit free@t
      umma.commit done@t
    }
  }
  role store: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    for t in 0..N {
      wait done@t
      tmem.ld f <- acc
      tmem.wait ld
      arrive read@t
      for e in 0..f.cols { st y[f.row(0), t*32 + e] <- f[0, e] }
    }
  }
}
//--- expected
// bounds        proved         13 of 13 accesses and indices proved, for every shape that the guard admits
// alignment     proved         14 of 14 vector accesses proved, for every shape that the guard admits
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         bounded        7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 22 not closed: tensor memory, so known of at most 7 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 22 not closed: tensor memory, so known of at most 7 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   bounded        7 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 22 not closed: tensor memory, so known of at most 7 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); `x` begins at a multiple of 32 bytes (the launcher checks); `w` begins at a multiple of 32 bytes (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
