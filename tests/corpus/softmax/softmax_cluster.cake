// y[m, :] = exp(x[m, :] - max) / sum, a row spread over the CTAs of a cluster in pieces of one element a
// thread. Each keeps its pieces in shared memory and gives their maximum and sum to all; the numbers of
// two rows are under way at most.
program softmax_cluster target sm_90a
dim M in 0..=1048576, N in 1..=65536
param WARPS in {4, 8, 16} = 8
param CL in {2, 4, 8} = 4
in x: f32[M, N]
out y: f32[M, N]
kernel rows {
  cluster CL
  const T = 32*WARPS
  const PIECES = 65536/CL/T
  const LOG2E = 1.4426950408889634
  const LOWEST = -3.4028234663852886e38  // not -inf: the difference of two must be a number
  let pieces = ceildiv(N, CL*T)
  grid (SMS)
  smem keep: f32[PIECES, T]
  smem tops: f32[WARPS]
  smem sums: f32[WARPS]
  smem given[2]: f32[CL, 2]
  event all[2] count CL
  role main: warps WARPS {
    fn weight(v: f32, top: f32) -> f32 { return exp2.approx((v - top) * LOG2E) }
    let first = cluster.rank*T + thread
    var k = 0
    for m in cluster.id..M step clusters {
      var top: f32 = LOWEST
      for j in 0..pieces {
        if first + j*CL*T < N {
          let v = ld x[m, first + j*CL*T]
          st keep[j, thread] <- v
          top = max(top, v)
        }
      }
      var sum: f32 = 0.0
      for j in 0..pieces {
        if first + j*CL*T < N { sum += weight(ld keep[j, thread], top) }
      }
      let warp_top = lanes.max(top, 32)
      sum = lanes.sum(sum * weight(top, warp_top), 32)
      elect { st tops[warp] <- warp_top; st sums[warp] <- sum }
      sync cta
      if warp == 0 {
        var high: f32 = LOWEST
        var whole: f32 = 0.0
        for p in 0..WARPS { high = max(high, ld tops[p]) }
        for p in 0..WARPS { whole = fma(ld sums[p], weight(ld tops[p], high), whole) }
        if lane < CL { st given@k[cluster.rank, 0:+2] at lane <- [high, whole] }
        for r in 0..CL { arrive all@k at r }
      }
      wait.cluster all@k
      top = LOWEST
      sum = 0.0
      for r in 0..CL { top = max(top, ld given@k[r, 0]) }
      for r in 0..CL { sum = fma(ld given@k[r, 1], weight(ld given@k[r, 0], top), sum) }
      let scale = 1.0 / sum
      for j in 0..pieces {
        if first + j*CL*T < N {
          st y[m, first + j*CL*T] <- weight(ld keep[j, thread], top) * scale
        }
      }
      k += 1
    }
  }
}
