// y[m, :] = exp(x[m, :] - max) / sum. The first KEEP accesses of each thread stay in registers; what is
// beyond is read twice, its maximum and sum carried together and rescaled where the maximum grows.
program softmax_bf16 target sm_80
dim M in 0..=1048576, N in 1..=65536
param WARPS in {1, 2, 4, 8, 16} = 8
param V in {1, 2, 4, 8} = 8  // elements an access
param KEEP in {1, 2, 4} = 4
in x: bf16[M, N]
out y: bf16[M, N]
kernel rows {
  const T = 32*WARPS
  const LOG2E = 1.4426950408889634
  // of bf16, and not -inf: the difference of two must be a number
  const LOWEST = -3.3895313892515355e38
  grid (M)
  smem tops: f32[WARPS]
  smem sums: f32[WARPS]
  role main: warps WARPS {
    fn weight(v: f32, top: f32) -> f32 { return exp2.approx((v - top) * LOG2E) }
    fn normalise(W: const i32) {
      var keep: bf16[KEEP*W] = LOWEST
      var top: f32 = LOWEST
      var sum: f32 = 0.0
      for k in 0..KEEP {
        let i = (k*T + thread)*W
        if i + W <= N {
          let v = ld x[cta, i:+W]
          for e in 0..W { keep[k*W + e] = v[e] }
        }
      }
      for e in 0..KEEP*W { top = max(top, cvt.f32(keep[e])) }
      for k in 0..KEEP {
        if (k*T + thread)*W + W <= N {
          for e in 0..W { sum += weight(cvt.f32(keep[k*W + e]), top) }
        }
      }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[cta, i:+W]
        var high = top
        for e in 0..W { high = max(high, cvt.f32(v[e])) }
        sum *= weight(top, high)
        top = high
        for e in 0..W { sum += weight(cvt.f32(v[e]), top) }
      }
      let warp_top = lanes.max(top, 32)
      sum = lanes.sum(sum * weight(top, warp_top), 32)
      top = warp_top
      if WARPS > 1 {
        elect { st tops[warp] <- top; st sums[warp] <- sum }
        sync cta
        top = LOWEST
        sum = 0.0
        for p in 0..WARPS { top = max(top, ld tops[p]) }
        for p in 0..WARPS { sum = fma(ld sums[p], weight(ld tops[p], top), sum) }
      }
      let scale = 1.0 / sum
      for k in 0..KEEP {
        let i = (k*T + thread)*W
        if i + W <= N {
          var o: bf16[W] = 0.0
          for e in 0..W { o[e] = cvt.bf16(weight(cvt.f32(keep[k*W + e]), top) * scale) }
          st y[cta, i:+W] <- o
        }
      }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[cta, i:+W]
        var o: bf16[W] = 0.0
        for e in 0..W { o[e] = cvt.bf16(weight(cvt.f32(v[e]), top) * scale) }
        st y[cta, i:+W] <- o
      }
    }
    if N % V == 0 { normalise(V) } else { normalise(1) }
  }
}
