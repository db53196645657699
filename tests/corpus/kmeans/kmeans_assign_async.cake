// ids[n] = the centroid with the largest x[n] . c - |c|^2 / 2. A warp keeps 16 points in registers as
// the left operand and meets every centroid; scores are compared where the product leaves them.
program kmeans_assign_async target sm_80
dim N in 0..=4194304, K in 1..=65536
const D = 128
param WARPS in {2, 4, 8} = 8
param BN in {32, 64} = 64  // centroids a tile
in x: bf16[N, D], c: bf16[K, D]
out ids: i32[N]
workspace half: f32[K]
kernel norms {
  grid (ceildiv(K, 8))
  role main: warps 8 {
    let k = cta*8 + warp
    if k < K {
      let v = ld c[k, lane*4:+4]
      var sum: f32 = 0.0
      for e in 0..4 {
        let f = cvt.f32(v[e])
        sum = fma(f, f, sum)
      }
      sum = lanes.sum(sum, 32)
      elect { st half[k] <- 0.5*sum }
    }
  }
}
kernel assign {
  const BM = 16*WARPS
  const STEP = 2*WARPS  // rows that the threads copy at a time
  grid (ceildiv(N, BM))
  smem xs: bf16[BM, D] padded 8
  smem cs[2]: bf16[BN, D] padded 8
  role main: warps WARPS {
    let m0 = cta*BM
    let row = thread / 16
    let piece = thread % 16 * 8
    let tiles = ceildiv(K, BN)
    fn fetch(n: i32) {
      for i in 0..BN/STEP {
        let r = row + i*STEP
        cp.async cs@n[r, piece:+8] <- c[n*BN + r, piece:+8] else 0.0
      }
    }
    for i in 0..BM/STEP {
      let r = row + i*STEP
      cp.async xs[r, piece:+8] <- x[m0 + r, piece:+8] else 0.0
    }
    fetch(0)
    cp.async.commit
    cp.async.wait 0
    sync cta
    var xf: mma.a bf16[16, D]
    ldmatrix xf <- xs[warp*16:+16, :]
    var s: mma f32[16, BN]
    var best: f32[s.rows] = -inf
    var id: i32[s.rows] = 0
    for n in 0..tiles {
      if n + 1 < tiles { fetch(n + 1) }
      cp.async.commit
      s = 0.0
      for d in 0..D/16 {
        var cf: mma.b bf16[16, BN]
        ldmatrix cf <- cs@n[:, d*16:+16].T
        mma s += xf[:, d*16:+16] * cf
      }
      for e in 0..s.cols {
        let k = n*BN + s.col(e)
        if k < K {
          let h = ld half[k]
          for r in 0..s.rows {
            if s[r, e] - h > best[r] { best[r] = s[r, e] - h; id[r] = k }
          }
        }
      }
      cp.async.wait 0
      sync cta
    }
    for r in 0..s.rows {
      let (score, k) = lanes.argmax(best[r], id[r], 4)
      let m = m0 + warp*16 + s.row(r)
      if lane % 4 == 0 && m < N { st ids[m] <- k }
    }
  }
}
