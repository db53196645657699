// y[m, :] = x[m, :] / sqrt(mean(x[m, :]^2) + eps) * w, a row a CTA. Rows of exactly 32*WARPS*V*KEEP elements have a kernel of
// their own, which asks for nothing and has no loop for what is beyond its registers. EARLY weights are loaded before the sum is
// known: worth it where the registers are not what limits the CTAs of a multiprocessor.
program rmsnorm target sm_80
dim M in 0..=1048576, N in 1..=65536
param WARPS in {1, 2, 4, 8, 16} = 8
param V in {1, 2, 4, 8} = 8  // elements an access
param KEEP in {1, 2, 4} = 4
param PER in {1, 4, 16} = 1  // CTAs of a multiprocessor that registers must suffice for
param EARLY in {0, 1} = 0
in x: bf16[M, N], w: bf16[N]
out y: bf16[M, N]
arg eps: f32
kernel exact when N == 32*WARPS*V*KEEP {
  const T = 32*WARPS
  grid (M)
  ctas_per_sm PER
  smem part[2]: f32[WARPS]
  role main: warps WARPS {
    fn total(own: f32, use: i32) -> f32 {
      var sum = lanes.sum(own, 32)
      if WARPS > 1 {
        elect { st part@use[warp] <- sum }
        sync cta
        sum = 0.0
        for p in 0..WARPS { sum += ld part@use[p] }
      }
      return sum
    }
    var keep: bf16[KEEP*V] = 0.0
    for k in 0..KEEP {
      let v = ld x[cta, (k*T + thread)*V:+V]
      for e in 0..V { keep[k*V + e] = v[e] }
    }
    var own: bf16[KEEP*V] = 0.0
    if EARLY == 1 {
      for k in 0..KEEP {
        let g = ld w[(k*T + thread)*V:+V]
        for e in 0..V { own[k*V + e] = g[e] }
      }
    }
    var sum: f32 = 0.0
    for e in 0..KEEP*V { let f = cvt.f32(keep[e]); sum = fma(f, f, sum) }
    sum = total(sum, 0)
    let scale = rsqrt(sum / cvt.f32(N) + eps)
    for k in 0..KEEP {
      let i = (k*T + thread)*V
      if EARLY == 0 {
        let g = ld w[i:+V]
        for e in 0..V { own[k*V + e] = g[e] }
      }
      var o: bf16[V] = 0.0
      for e in 0..V { o[e] = cvt.bf16(cvt.f32(keep[k*V + e]) * scale * cvt.f32(own[k*V + e])) }
      st y[cta, i:+V] <- o
    }
  }
}
kernel any when N != 32*WARPS*V*KEEP {
  const T = 32*WARPS
  grid (M)
  smem part[2]: f32[WARPS]
  role main: warps WARPS {
    fn normalise(row: i32, r: i32, W: const i32) {
      var keep: bf16[KEEP*W] = 0.0
      var sum: f32 = 0.0
      for k in 0..KEEP {
        let i = (k*T + thread)*W
        if i + W <= N {
          let v = ld x[row, i:+W]
          for e in 0..W { keep[k*W + e] = v[e] }
        }
      }
      for e in 0..KEEP*W {  // after all loads of this thread are under way
        let f = cvt.f32(keep[e])
        sum = fma(f, f, sum)
      }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[row, i:+W]
        for e in 0..W {
          let f = cvt.f32(v[e])
          sum = fma(f, f, sum)
        }
      }
      sum = lanes.sum(sum, 32)
      if WARPS > 1 {
        elect { st part@r[warp] <- sum }
        sync cta
        sum = 0.0
        for p in 0..WARPS { sum += ld part@r[p] }
      }
      let scale = rsqrt(sum / cvt.f32(N) + eps)
      for k in 0..KEEP {
        let i = (k*T + thread)*W
        if i + W <= N {
          let g = ld w[i:+W]
          var o: bf16[W] = 0.0
          for e in 0..W { o[e] = cvt.bf16(cvt.f32(keep[k*W + e]) * scale * cvt.f32(g[e])) }
          st y[row, i:+W] <- o
        }
      }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[row, i:+W]
        let g = ld w[i:+W]
        var o: bf16[W] = 0.0
        for e in 0..W { o[e] = cvt.bf16(cvt.f32(v[e]) * scale * cvt.f32(g[e])) }
        st y[row, i:+W] <- o
      }
    }
    // 16-byte accesses need rows that start at multiples of the access.
    if N % V == 0 { normalise(cta, 0, V) } else { normalise(cta, 0, 1) }
  }
}
