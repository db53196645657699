// y = x w^T on the tensor cores of tensor memory, a CTA for each tile: one that runs takes the places of
// those that have not begun, until there are none. Of each, one warp brings the operands, one
// multiplies, and four store. Two accumulators lie side by side, so that one is stored while the
// next is summed up.
program gemm_bf16_launch_control target sm_100a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {32, 64, 128} = 128
param STAGES in 2..=5 = 4
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  const BM = 128
  const BK = 64
  const W = 32  // columns that a thread holds at a time
  let rows = ceildiv(M, BM)
  let tiles = rows*ceildiv(N, BN)
  let trips = ceildiv(K, BK)
  grid (tiles)
  smem a[STAGES]: bf16[BM, BK] swizzle 128
  smem b[STAGES]: bf16[BN, BK] swizzle 128
  tmem acc: f32[BM, 2*BN]
  event full[STAGES] count 1
  event empty[STAGES] count 1
  event summed[2] count 1
  event stored[2] count 4
  dynamic iter work() -> (i32, i32) {
    for t in cta..tiles step ctas { yield t % rows * BM, t / rows * BN }
  }
  role store: warps 4 {
    var f: tmem.32x32b f32[BM, W]
    var i = 0
    for (m, n) in work() {
      wait summed@i
      let row = m + f.row(0)
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
      arrive stored@i
      i += 1
    }
  }
  role load: warps 1 {
    var k = 0
    for (m, n) in work() {
      for t in 0..trips {
        wait empty@(k - STAGES)
        tma.load a@k <- x[m:+BM, t*BK:+BK] on full@k
        tma.load b@k <- w[n:+BN, t*BK:+BK] on full@k
        expect full@k
        k += 1
      }
    }
  }
  role multiply: warps 1 {
    var k = 0
    var i = 0
    for (m, n) in work() {
      wait stored@(i - 2)
      for t in 0..trips {
        wait full@k
        umma acc[:, i % 2 * BN:+BN] += a@k * b@k.T zero t == 0
        umma.commit empty@k
        k += 1
      }
      umma.commit summed@i
      i += 1
    }
  }
}
