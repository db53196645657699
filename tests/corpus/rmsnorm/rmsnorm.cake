// y[m, :] = x[m, :] / sqrt(mean(x[m, :]^2) + eps) * w. ROWS rows a CTA; the first KEEP accesses of each
// thread stay in registers, so that rows up to 32*WARPS*V*KEEP elements are read once.
program rmsnorm target sm_80
dim M in 0..=1048576, N in 1..=65536
param WARPS in {1, 2, 4, 8, 16} = 8
param V in {1, 2, 4, 8, 16} = 8  // elements an access: 16 are 32 bytes, which no load moves here
param KEEP in {1, 2, 4} = 4
param ROWS in {1, 2, 4} = 1  // rows a CTA
param PARTS in {1, 2} = 2  // buffers for partial sums: with 1 the next row overwrites them
in x: bf16[M, N], w: bf16[N]
out y: bf16[M, N]
arg eps: f32
kernel norm {
  const T = 32*WARPS
  grid (ceildiv(M, ROWS))
  smem part[PARTS]: f32[WARPS]
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
    for r in 0..ROWS {
      let row = cta*ROWS + r
      if row < M {
        // 16-byte accesses need rows that start at multiples of the access.
        if N % V == 0 { normalise(row, r, V) } else { normalise(row, r, 1) }
      }
    }
  }
}
