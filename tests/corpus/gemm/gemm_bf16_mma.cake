// y = x w^T by mma.sync on tiles that a loading warp brings: 8 warps of 64 x 64 each, which read rows of the next 16 of the
// depth before they multiply. CTAs take tiles in bands of GROUP rows of tiles.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {128, 256} = 256
param STAGES in 2..=4 = 4
param GROUP in {8, 16} = 8
const BM = 128
const WN = BN/4
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  grid (SMS)
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
  role load: warps 1 regs 40 {
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
  role math: warps 8 regs 232 {
    let wm = warp / 4 * 64
    let wn = warp % 4 * WN
    var it = 0
    for (m, n) in work() {
      var acc: mma f32[64, WN]
      acc = 0.0
      for k in 0..KT {
        var a: mma.a bf16[64, 16]
        var b: mma.b bf16[16, WN]
        var c: mma.a bf16[64, 16]
        wait ab@it
        ldmatrix a <- ab.a@it[wm:+64, 0:+16]
        for s in 0..2 {
          ldmatrix b <- ab.b@it[wn:+WN, s*32:+16].T
          ldmatrix c <- ab.a@it[wm:+64, s*32 + 16:+16]
          mma acc += a * b
          ldmatrix b <- ab.b@it[wn:+WN, s*32 + 16:+16].T
          if s == 0 { ldmatrix a <- ab.a@it[wm:+64, 32:+16] }
          mma acc += c * b
        }
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
