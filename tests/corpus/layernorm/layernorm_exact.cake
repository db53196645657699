// y[m, :] = (x[m, :] - mean) / sqrt(var + eps) * w + b, a row a CTA. Rows of exactly 32*WARPS*V*KEEP elements have a kernel of
// their own, which asks for nothing and has no loop for what is beyond its registers.
program layernorm target sm_80
dim M in 0..=1048576, N in 1..=65536
param WARPS in {1, 2, 4, 8, 16} = 8
param V in {1, 2, 4, 8} = 8  // elements an access
param KEEP in {1, 2, 4} = 4
param PER in {1, 4, 16} = 1  // CTAs of a multiprocessor that registers must suffice for
in x: bf16[M, N], w: bf16[N], b: bf16[N]
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
    var sum: f32 = 0.0
    for e in 0..KEEP*V { sum += cvt.f32(keep[e]) }
    let mean = total(sum, 0) / cvt.f32(N)
    var sq: f32 = 0.0
    for e in 0..KEEP*V { let d = cvt.f32(keep[e]) - mean; sq = fma(d, d, sq) }
    let scale = rsqrt(total(sq, 1) / cvt.f32(N) + eps)
    for k in 0..KEEP {
      let i = (k*T + thread)*V
      let g = ld w[i:+V]
      let c = ld b[i:+V]
      var o: bf16[V] = 0.0
      for e in 0..V {
        o[e] = cvt.bf16(fma((cvt.f32(keep[k*V + e]) - mean) * scale, cvt.f32(g[e]), cvt.f32(c[e])))
      }
      st y[cta, i:+V] <- o
    }
  }
}
kernel any when N != 32*WARPS*V*KEEP {
  const T = 32*WARPS
  grid (M)
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
    // 16-byte accesses need rows that start at multiples of the access.
    if N % V == 0 { normalise(cta, 0, V) } else { normalise(cta, 0, 1) }
  }
}
