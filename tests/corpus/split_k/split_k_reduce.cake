// y = x w^T where there are few tiles and a deep sum: two CTAs have half of the depth of each tile, and what they have
// is added by TMA to a y that is cleared before. A sum of two is the same whoever comes first.
program split_k target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {64, 128} = 128
param STAGES in 2..=4 = 4
const BM = 128
in x: bf16[M, K], w: bf16[N, K]
out y: f32[M, N]
where K % 8 == 0, N % 8 == 0
kernel clear {
  grid (M)
  role main: warps 4 { for n in thread*4..N step 512 { st y[cta, n:+4] <- 0.0 } }
}
kernel gemm {
  grid (ceildiv(N, BN), ceildiv(M, BM), 2)
  ring ab[STAGES] {
    a: bf16[BM, 64] swizzle 128; b: bf16[BN, 64] swizzle 128
  } from load to math
  smem out: f32[BM, BN] swizzle 128
  let trips = ceildiv(ceildiv(K, 64), 2)  // of one CTA; the second may have fewer
  let first = cta.z*trips
  let own = max(0, min(trips, ceildiv(K, 64) - first))
  role load: warps 1 regs 40 {
    for k in 0..own {
      acquire ab@k
      tma.load ab.a@k <- x[cta.y*BM:+BM, (first + k)*64:+64]
      tma.load ab.b@k <- w[cta.x*BN:+BN, (first + k)*64:+64]
      commit ab@k
    }
  }
  role math: warps 8 regs 232 {
    let row = wg*64
    var acc: wgmma f32[64, BN]
    acc = 0.0
    for k in 0..own {
      wait ab@k
      wgmma acc += ab.a@k[row:+64, :] * ab.b@k.T
      wgmma.commit
      wgmma.wait 1
      if k > 0 { release ab@(k-1) }
    }
    wgmma.wait 0
    for r in 0..acc.rows {
      for e in 0..acc.cols step 2 {
        st out[row + acc.row(r), acc.col(e):+2] <- [acc[r, e], acc[r, e + 1]]
      }
    }
    fence async
    sync wg
    if own > 0 && warp % 4 == 0 {
      elect {
        tma.reduce.add y[cta.y*BM + row:+64, cta.x*BN:+BN] <- out[row:+64, :]
        tma.commit
        tma.wait.read 0
      }
    }
  }
}
