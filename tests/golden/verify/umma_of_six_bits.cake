// mode: gates
program p target sm_100a
// Four numbers in three bytes of global memory, padded to 16 bytes for 16 by the load.
dim M in 1..=1024, K in 32..=1024
in x: e2m3x4[M, K], w: e2m1x2[32, 2*K]
out y: f32[M, 32]
where K % 32 == 0, align(x) % 32 == 0, align(w) % 32 == 0
kernel run {
  grid (ceildiv(M, 128))
  smem a[2]: e2m3[128, 128] swizzle 128
  smem b[2]: e2m1[32, 128] swizzle 128
  tmem acc: f32[128, 32]
  event full[2] count 1
  event free[2] count 1
  event done[1] count 1
  role load: warps 1 {
    for k in 0..K/32 {
      wait free@(k - 2)
      tma.load a@k <- x[cta*128:+128, k*32:+32] on full@k
      tma.load b@k <- w[:, k*64:+64] on full@k
      expect full@k
    }
  }
  role multiply: warps 1 {
    for k in 0..K/32 {
      wait full@k
      umma acc += a@k * b@k.T zero k == 0
      umma.commit free@k
    }
    umma.commit done@0
  }
  role store: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    let m = cta*128 + f.row(0)
    if m < M { for e in 0..f.cols { st y[m, e] <- f[0, e] } }
  }
}
//--- expected
// bounds        proved         11 of 11 accesses and indices proved, for every shape that the guard admits
// alignment     proved         12 of 12 vector accesses proved, for every shape that the guard admits
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         explored       14 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown; the loop in line 17 not closed: tensor memory
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       14 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown; the loop in line 17 not closed: tensor memory
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       14 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); `x` begins at a multiple of 32 bytes (the launcher checks); `w` begins at a multiple of 32 bytes (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
