// y = x w^T for at most 16 tokens. A CTA has R experts and splits their depth among its threads: each
// weight is read once, each piece of x serves R experts, and 8 warps keep enough loads under way.
program router_gemm target sm_80
dim M in 1..=16, N in 1..=4096, K in 8..=16384
param WARPS in {2, 4, 8} = 8
param R in {1, 2, 4} = 2  // experts a CTA
in x: bf16[M, K], w: bf16[N, K]
out y: f32[M, N]
where K % 8 == 0
kernel route {
  const T = 32*WARPS
  grid (ceildiv(N, R))
  smem part: f32[WARPS, 16*R]
  role main: warps WARPS {
    var acc: f32[16*R] = 0.0
    for k in thread*8 .. K step T*8 {
      var weight: f32[R*8] = 0.0
      for r in 0..R {
        if cta*R + r < N {
          let v = ld.streaming w[cta*R + r, k:+8]
          for e in 0..8 { weight[r*8 + e] = cvt.f32(v[e]) }
        }
      }
      for m in 0..16 {
        if m < M {
          let v = ld x[m, k:+8]
          for e in 0..8 {
            for r in 0..R { acc[m*R + r] = fma(cvt.f32(v[e]), weight[r*8 + e], acc[m*R + r]) }
          }
        }
      }
    }
    for m in 0..16 {
      if m < M {
        for r in 0..R {
          let sum = lanes.sum(acc[m*R + r], 32)
          elect { st part[warp, m*R + r] <- sum }
        }
      }
    }
    sync cta
    let m = thread / R
    let n = cta*R + thread % R
    if m < M && n < N {
      var sum: f32 = 0.0
      for p in 0..WARPS { sum += ld part[p, thread] }
      st y[m, n] <- sum
    }
  }
}
