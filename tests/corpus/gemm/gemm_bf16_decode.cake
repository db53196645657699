// y = x w^T for few rows of x: rows of w are the rows of the products and rows of x their columns, so that no product
// is wasted. The CTAs of a cluster share the depth of a tile and add up through their shared memory.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BT in {8, 16, 32, 64, 128} = 16  // rows of x a tile
param WGS in {1, 2, 4} = 1  // times 64 rows of w a tile
param KS in {1, 2} = 2  // times 64 of the depth a stage
param SPLIT in {1, 2, 4, 8} = 4  // CTAs that share a tile
param STAGES in 2..=8 = 5
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  const R = 64*WGS
  const BK = 64*KS
  cluster SPLIT
  grid (SPLIT, ceildiv(N, R), ceildiv(M, BT))
  let KT = ceildiv(K, BK)
  let share = ceildiv(KT, SPLIT)
  either {
    ring ab[STAGES] { w: bf16[R, BK] swizzle 128; x: bf16[BT, BK] swizzle 128 } from load to math
  } or {
    smem part: f32[BT, R] padded 4
  }
  role load: warps 1 {
    let first = cta.x*share
    for k in 0..min(share, max(KT - first, 0)) {
      acquire ab@k
      tma.load ab.w@k <- w[cta.y*R:+R, (first + k)*BK:+BK] cache evict_first
      tma.load ab.x@k <- x[cta.z*BT:+BT, (first + k)*BK:+BK]
      commit ab@k
    }
    cluster.sync
  }
  role math: warps 4*WGS {
    let own = min(share, max(KT - cta.x*share, 0))
    var acc: wgmma f32[64, BT]
    acc = 0.0
    for k in 0..own {
      wait ab@k
      wgmma acc += ab.w@k[wg*64:+64, :] * ab.x@k.T
      wgmma.commit
      wgmma.wait 1
      if k > 0 { release ab@(k-1) }
    }
    wgmma.wait 0
    sync role
    for (r, e) in acc { st part[acc.col(e), wg*64 + acc.row(r)] <- acc[r, e] }
    cluster.sync
    let n = thread % (R/4) * 4
    for i in 0..ceildiv(BT, 8*SPLIT) {
      let t = (i*8 + thread / (R/4))*SPLIT + cluster.rank
      let row = cta.z*BT + t
      if t < BT && row < M && cta.y*R + n < N {
        var sum: f32[4] = 0.0
        for z in 0..SPLIT {
          let v = ld part[t, n:+4] at z
          for e in 0..4 { sum[e] += v[e] }
        }
        st y[row, cta.y*R + n:+4] <- cvt.bf16(sum)
      }
    }
  }
}
