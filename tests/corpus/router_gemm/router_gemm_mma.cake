// y = x w^T for at most 16 tokens by mma.sync, operands straight from global memory: a sum over the depth may take it in
// any order, so a lane loads 8 neighbours of a row for two products. The CTAs of a cluster and their warps share the depth.
program router_gemm target sm_90a
dim M in 1..=16, N in 1..=4096, K in 8..=16384
param WARPS in {4, 8, 16} = 8
param SPLIT in {1, 2, 4, 8} = 4  // CTAs that share 8 experts
param AHEAD in {1, 2, 4} = 4  // pieces of 32 of the depth that a warp has under way
in x: bf16[M, K], w: bf16[N, K]
out y: f32[M, N]
where K % 8 == 0
kernel route {
  const STEP = SPLIT*WARPS*32
  cluster SPLIT
  grid (SPLIT, ceildiv(N, 8))
  smem part: f32[WARPS, 128]
  smem total: f32[128]
  role main: warps WARPS {
    let row = lane / 4
    let n = cta.y*8 + row
    var acc: mma f32[16, 8]
    acc = 0.0
    for k in (cta.x*WARPS + warp)*32 .. K step STEP*AHEAD {
      var ws: bf16[8*AHEAD] = 0.0
      var low: bf16[8*AHEAD] = 0.0
      var high: bf16[8*AHEAD] = 0.0
      for u in 0..AHEAD {
        let d = k + u*STEP + lane % 4 * 8
        if d < K && n < N {
          let v = ld.streaming w[n, d:+8]
          for e in 0..8 { ws[u*8 + e] = v[e] }
        }
        if d < K && row < M {
          let v = ld x[row, d:+8]
          for e in 0..8 { low[u*8 + e] = v[e] }
        }
        if d < K && row + 8 < M {
          let v = ld x[row + 8, d:+8]
          for e in 0..8 { high[u*8 + e] = v[e] }
        }
      }
      for u in 0..2*AHEAD {
        var a: mma.a bf16[16, 16]
        var b: mma.b bf16[16, 8]
        for e in 0..4 {
          a[0, e] = low[u*4 + e]
          a[1, e] = high[u*4 + e]
          b[e, 0] = ws[u*4 + e]
        }
        mma acc += a * b
      }
    }
    for (r, e) in acc { st part[warp, acc.row(r)*8 + acc.col(e)] <- acc[r, e] }
    sync cta
    if thread < 128 {
      var sum: f32 = 0.0
      for p in 0..WARPS { sum += ld part[p, thread] }
      st total[thread] <- sum
    }
    cluster.sync
    let i = cluster.rank*(128/SPLIT) + thread
    let m = i / 8
    let expert = cta.y*8 + i % 8
    if thread < 128/SPLIT && m < M && expert < N {
      var sum: f32 = 0.0
      for z in 0..SPLIT { sum += ld total[i] at z }
      st y[m, expert] <- sum
    }
  }
}
