// y = x w^T by clusters of CL CTAs, each with a row tile of its own, that share a column tile: every CTA loads a
// part of it and hands it to all. Each cluster takes tiles in turn; behind the last row a CTA multiplies zeros.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {128, 256} = 128
param CL in {2, 4} = 2
param STAGES in 2..=4 = 4
const BM = 128
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  cluster CL
  const PART = BN/CL
  grid (SMS)
  let KT = ceildiv(K, 64)
  let MT = ceildiv(M, BM*CL)
  let NT = ceildiv(N, BN)
  ring ab[STAGES] {
    a: bf16[BM, 64] swizzle 128; b: bf16[BN, 64] swizzle 128
  } from load to math cluster
  iter work() -> (i32, i32) {
    for t in cluster.id..MT*NT step clusters {
      yield (t % MT * CL + cluster.rank)*BM, t / MT * BN
    }
  }
  role load: warps 1 regs 40 {
    let part = cluster.rank*PART
    var it = 0
    for (m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- x[m:+BM, k*64:+64]
        tma.load ab.b@it[part:+PART, :] <- w[n + part:+PART, k*64:+64] multicast (1 << CL) - 1
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var acc: wgmma f32[64, BN]
    for (m, n) in work() {
      for k in 0..KT {
        wait ab@it
        wgmma acc += ab.a@it[wg*64:+64, :] * ab.b@it.T zero k == 0
        wgmma.commit
        wgmma.wait 1
        if k > 0 { release ab@(it-1) }
        it += 1
      }
      wgmma.wait 0
      release ab@(it-1)
      for r in 0..acc.rows {
        for e in 0..acc.cols step 2 {
          let row = m + wg*64 + acc.row(r)
          let col = n + acc.col(e)
          if row < M && col < N { st y[row, col:+2] <- cvt.bf16([acc[r, e], acc[r, e + 1]]) }
        }
      }
    }
  }
}
