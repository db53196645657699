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
