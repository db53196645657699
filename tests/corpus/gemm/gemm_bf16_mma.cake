// y = x w^T by mma.sync on tiles that a loading warp brings, warps of 64 x 64, two CTAs an SM. Fragments of the next 16 of the depth
// are read while those before multiply, also across stages: a stage is given back when the next one's first fragments are under way.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BM in {128, 256} = 128
param BN in {128, 256} = 128
param STAGES in 2..=4 = 3
param GROUP in {4, 8, 16} = 8
param CTAS in {1, 2} = 2  // an SM
param REGS in {216, 232} = 232  // of a multiplying thread
const WM = 64
const WN = 64
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  grid (SMS*CTAS)
  ctas_per_sm CTAS
  let KT = ceildiv(K, 64)
  let MT = ceildiv(M, BM)
  let NT = ceildiv(N, BN)
  ring ab[STAGES] { a: bf16[BM, 64] swizzle 128; b: bf16[BN, 64] swizzle 128 } from load to math
  iter work() -> (i32, i32) {
    for t in cta..ceildiv(MT, GROUP)*GROUP*NT step ctas {
      let i = t / GROUP
      let row = i / NT * GROUP + t % GROUP
      if row < MT { yield row*BM, i % NT * BN }
    }
  }
  role load: warps 1 regs 256 - REGS {
    var it = 0
    for (m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- x[m:+BM, k*64:+64]
        tma.load ab.b@it <- w[n:+BN, k*64:+64]
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps BM/WM*(BN/WN) regs REGS {
    let wm = warp / (BN/WN) * WM
    let wn = warp % (BN/WN) * WN
    var it = 0
    for (m, n) in work() {
      var acc: mma f32[WM, WN]
      acc = 0.0
      var a: mma.a bf16[WM, 16]
      var b: mma.b bf16[16, WN]
      var c: mma.a bf16[WM, 16]
      var d: mma.b bf16[16, WN]
      wait ab@it
      ldmatrix a <- ab.a@it[wm:+WM, 0:+16]
      ldmatrix b <- ab.b@it[wn:+WN, 0:+16].T
      for k in 0..KT {
        ldmatrix c <- ab.a@it[wm:+WM, 16:+16]
        ldmatrix d <- ab.b@it[wn:+WN, 16:+16].T
        mma acc += a * b
        ldmatrix a <- ab.a@it[wm:+WM, 32:+16]
        ldmatrix b <- ab.b@it[wn:+WN, 32:+16].T
        mma acc += c * d
        ldmatrix c <- ab.a@it[wm:+WM, 48:+16]
        ldmatrix d <- ab.b@it[wn:+WN, 48:+16].T
        mma acc += a * b
        if k + 1 < KT {
          wait ab@(it + 1)
          ldmatrix a <- ab.a@(it + 1)[wm:+WM, 0:+16]
          ldmatrix b <- ab.b@(it + 1)[wn:+WN, 0:+16].T
        }
        mma acc += c * d
        release ab@it
        it += 1
      }
      for r in 0..acc.rows {
        for e in 0..acc.cols step 2 {
          let row = m + wm + acc.row(r)
          let col = n + wn + acc.col(e)
          if row < M && col < N { st y[row, col:+2] <- cvt.bf16([acc[r, e], acc[r, e + 1]]) }
        }
      }
    }
  }
}
