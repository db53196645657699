// New centroids: every point is added to the sum of its class, four columns a lane; a second kernel
// divides, and keeps the old centroid where a class has no point.
program kmeans_update target sm_80
dim N in 0..=4194304, K in 1..=4096
const D = 128
param WARPS in {4, 8} = 8
param PER in {1, 2, 4, 8} = 4  // points under way a warp
in x: bf16[N, D], ids: i32[N], c: f32[K, D]
out nc: f32[K, D], count: i32[K]
workspace sum: f32[K, D] zero
workspace members: i32[K] zero
where ids in 0..K
kernel add {
  const POINTS = WARPS*PER
  grid (ceildiv(N, POINTS))
  role main: warps WARPS {
    let first = cta*POINTS + warp*PER
    var v: bf16[4*PER] = 0.0
    for p in 0..PER {
      if first + p < N {
        let own = ld x[first + p, lane*4:+4]
        for e in 0..4 { v[p*4 + e] = own[e] }
      }
    }
    for p in 0..PER {
      if first + p < N {
        let id = ld ids[first + p]
        for e in 0..4 { red.add.relaxed.gpu(sum[id, lane*4 + e], cvt.f32(v[p*4 + e])) }
        elect { red.add.relaxed.gpu(members[id], 1) }
      }
    }
  }
}
kernel divide {
  grid (ceildiv(K, 8))
  role main: warps 8 {
    let k = cta*8 + warp
    if k < K {
      let n = ld members[k]
      var v = ld c[k, lane*4:+4]
      if n > 0 {
        let s = ld sum[k, lane*4:+4]
        for e in 0..4 { v[e] = s[e] / cvt.f32(n) }
      }
      st nc[k, lane*4:+4] <- v
      elect { st count[k] <- n }
    }
  }
}
