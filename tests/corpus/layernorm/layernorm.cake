// y[m, :] = (x[m, :] - mean) / sqrt(var + eps) * w + b. The first KEEP accesses of each thread stay in
// registers, so that rows up to 32*WARPS*V*KEEP elements are read once; the variance is of differences
// to the mean, which does not cancel where the mean is large.
program layernorm target sm_80
dim M in 0..=1048576, N in 1..=65536
param WARPS in {1, 2, 4, 8, 16} = 8
param V in {1, 2, 4, 8} = 8  // elements an access
param KEEP in {1, 2, 4} = 4
param ROWS in {1, 2, 4} = 1  // rows a CTA
in x: bf16[M, N], w: bf16[N], b: bf16[N]
out y: bf16[M, N]
arg eps: f32
kernel norm {
  const T = 32*WARPS
  grid (ceildiv(M, ROWS))
  smem part[2]: f32[WARPS]
  role main: warps WARPS {
    // The sum over the CTA. Of two buffers, the one written now was last read before the sync between.
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
    fn normalise(row: i32, r: i32, W: const i32) {
      var keep: bf16[KEEP*W] = 0.0
      var own: f32 = 0.0
      for k in 0..KEEP {
        let i = (k*T + thread)*W
        if i + W <= N {
          let v = ld x[row, i:+W]
          for e in 0..W { keep[k*W + e] = v[e] }
        }
      }
      for e in 0..KEEP*W { own += cvt.f32(keep[e]) }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[row, i:+W]
        for e in 0..W { own += cvt.f32(v[e]) }
      }
      let mean = total(own, 2*r) / cvt.f32(N)
      own = 0.0
      for k in 0..KEEP {
        if (k*T + thread)*W + W <= N {
          for e in 0..W {
            let d = cvt.f32(keep[k*W + e]) - mean
            own = fma(d, d, own)
          }
        }
      }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[row, i:+W]
        for e in 0..W {
          let d = cvt.f32(v[e]) - mean
          own = fma(d, d, own)
        }
      }
      let scale = rsqrt(total(own, 2*r + 1) / cvt.f32(N) + eps)
      for k in 0..KEEP {
        let i = (k*T + thread)*W
        if i + W <= N {
          let g = ld w[i:+W]
          let c = ld b[i:+W]
          var o: bf16[W] = 0.0
          for e in 0..W {
            o[e] =
                cvt.bf16(fma((cvt.f32(keep[k*W + e]) - mean) * scale, cvt.f32(g[e]), cvt.f32(c[e])))
          }
          st y[row, i:+W] <- o
        }
      }
      for i in (KEEP*T + thread)*W ..= N - W step T*W {
        let v = ld x[row, i:+W]
        let g = ld w[i:+W]
        let c = ld b[i:+W]
        var o: bf16[W] = 0.0
        for e in 0..W {
          o[e] = cvt.bf16(fma((cvt.f32(v[e]) - mean) * scale, cvt.f32(g[e]), cvt.f32(c[e])))
        }
        st y[row, i:+W] <- o
      }
    }
    for r in 0..ROWS {
      let row = cta*ROWS + r
      if row < M {
        if N % V == 0 { normalise(row, r, V) } else { normalise(row, r, 1) }
      }
    }
  }
}
