// y = x w^T by clusters of CL CTAs that share a column tile, in bands of GROUP row tiles of clusters: what a wave reads is
// close to a square and stays in L2. Each warp stores its rows through shared memory while the others go on.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {128, 256} = 256
param CL in {2, 4} = 2
param STAGES in 2..=4 = 3
param PANELS in {1, 2} = 2  // of 64 columns that leave at once
param GROUP in {4, 8, 16} = 8  // row tiles of clusters in a band
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
  const BUFS = 2*PANELS
  smem out[2*BUFS]: bf16[64, 64] swizzle 128
  iter work() -> (i32, i32) {
    for t in cluster.id..ceildiv(MT, GROUP)*GROUP*NT step clusters {
      let i = t / GROUP
      let row = i / NT * GROUP + t % GROUP
      if row < MT { yield (row*CL + cluster.rank)*BM, i % NT * BN }
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
      for c in 0..BN/64/PANELS {
        elect { tma.wait.read 1 }
        sync warp
        for e in 0..PANELS {
          stmatrix out@(wg*BUFS + (c*PANELS + e)%BUFS) <- cvt.bf16(acc[:, (c*PANELS + e)*64:+64])
        }
        fence async; sync warp
        elect {
          for e in 0..PANELS {
            tma.store y[m + warp*16:+16, n + (c*PANELS + e)*64:+64] <-
                out@(wg*BUFS + (c*PANELS + e)%BUFS)[warp%4*16:+16, :]
          }
          tma.commit
        }
      }
    }
    elect { tma.wait 0 }
  }
}
