// y = x w^T by pairs of CTAs. A pair takes tiles of 256 rows in turn: each CTA brings its own 128
// rows of x and half of the columns' rows of w, and the even one multiplies for both. Of each CTA
// one warp brings operands, one hands them to the even CTA or multiplies, and four store. Two
// accumulators lie side by side, so that one is stored while the next is summed up.
program gemm_bf16_umma_2cta target sm_100a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {64, 128, 256} = 256
param STAGES in 2..=6 = 4
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  cluster 2
  const BM = 128  // rows of a CTA
  const BK = 64
  const W = 32  // columns that a thread holds at a time
  let rows = ceildiv(M, 2*BM)
  let tiles = rows*ceildiv(N, BN)
  let trips = ceildiv(K, BK)
  grid (2*min(SMS/2, tiles))
  smem a[STAGES]: bf16[BM, BK] swizzle 128
  smem b[STAGES]: bf16[BN/2, BK] swizzle 128
  tmem acc: f32[BM, 2*BN]
  event full[STAGES] count 1
  event both[STAGES] count 2  // the even CTA: the operands of both CTAs are there
  event empty[STAGES] count 1
  event summed[2] count 1
  event stored[2] count 8  // the even CTA: of both
  iter work() -> (i32, i32) {
    for t in cluster.id..tiles step clusters { yield t % rows * 2*BM, t / rows * BN }
  }
  role store: warps 4 {
    var f: tmem.32x32b f32[BM, W]
    var i = 0
    for (m, n) in work() {
      wait summed@i
      let row = m + cluster.rank*BM + f.row(0)
      for c in 0..BN/W {
        tmem.ld f <- acc[:, i % 2 * BN + c*W:+W]
        tmem.wait ld
        if row < M {
          for e in 0..W step 8 {
            let column = n + c*W + e
            if column < N {
              st y[row, column:+8] <-
                  cvt.bf16([f[0, e], f[0, e + 1], f[0, e + 2], f[0, e + 3], f[0, e + 4],
                  f[0, e + 5], f[0, e + 6], f[0, e + 7]])
            }
          }
        }
      }
      arrive stored@i at 0
      i += 1
    }
  }
  role load: warps 1 {
    var k = 0
    for (m, n) in work() {
      for t in 0..trips {
        wait empty@(k - STAGES)
        tma.load a@k <- x[m + cluster.rank*BM:+BM, t*BK:+BK] on full@k
        tma.load b@k <- w[n + cluster.rank*(BN/2):+BN/2, t*BK:+BK] on full@k
        expect full@k
        k += 1
      }
    }
  }
  role multiply: warps 1 {
    var k = 0
    var i = 0
    for (m, n) in work() {
      if cluster.rank == 0 { wait.cluster stored@(i - 2) }
      for t in 0..trips {
        wait full@k
        arrive both@k at 0
        if cluster.rank == 0 {
          wait.cluster both@k
          umma.2cta acc[:, i % 2 * BN:+BN] += a@k * b@k.T zero t == 0
          umma.commit.2cta empty@k
        }
        k += 1
      }
      if cluster.rank == 0 { umma.commit.2cta summed@i }
      i += 1
    }
  }
}
