// The product of a pair reads both CTAs' halves; the even one waits for its own only.
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
    let m = cluster.rank*128
    if warp == 0 {
      tma.load a <- x[m:+128, :] on full@0
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
    for e in 0..f.cols { st y[m + f.row(0), e] <- f[0, e] }
  }
}
