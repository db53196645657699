// y = x w^T by clusters of CL CTAs, each with a row tile of its own, that share a column tile: every CTA
// loads a part of it and hands it to all. A slot is refilled when the warps of all CTAs are done with it.
// Behind the last row tile a CTA multiplies zeros, to keep step with its cluster.
program gemm_bf16_cluster target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BM in {64, 128} = 128
param BN in {64, 128} = 128
param CL in {2, 4} = 2
param STAGES in 2..=4 = 3
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  cluster CL
  const BK = 64
  const WM = BM/2
  const WN = BN/4
  const PART = BN/CL
  let trips = ceildiv(K, BK)
  grid (ceildiv(M, BM*CL)*CL, ceildiv(N, BN))
  ring ab[STAGES] {
    a: bf16[BM, BK] swizzle 128; b: bf16[BN, BK] swizzle 128
  } from load to math cluster
  role load: warps 1 {
    let m0 = cta.x*BM
    let n0 = cta.y*BN
    let part = cluster.rank*PART
    for t in 0..trips {
      acquire ab@t
      tma.load ab.a@t <- x[m0:+BM, t*BK:+BK]
      tma.load ab.b@t[part:+PART, :] <- w[n0 + part:+PART, t*BK:+BK] multicast (1 << CL) - 1
      commit ab@t
    }
  }
  role math: warps 8 {
    let m0 = cta.x*BM
    let n0 = cta.y*BN
    let wm = warp / 4 * WM
    let wn = warp % 4 * WN
    var acc: mma f32[WM, WN]
    acc = 0.0
    for t in 0..trips {
      wait ab@t
      for k in 0..BK/16 {
        var fa: mma.a bf16[WM, 16]
        var fb: mma.b bf16[16, WN]
        ldmatrix fa <- ab.a@t[wm:+WM, k*16:+16]
        ldmatrix fb <- ab.b@t[wn:+WN, k*16:+16].T
        mma acc += fa * fb
      }
      release ab@t
    }
    for r in 0..acc.rows {
      for e in 0..acc.cols step 2 {
        let m = m0 + wm + acc.row(r)
        let n = n0 + wn + acc.col(e)
        if m < M && n < N { st y[m, n:+2] <- cvt.bf16([acc[r, e], acc[r, e + 1]]) }
      }
    }
  }
}
