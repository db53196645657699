// y = x w^T where there are few tiles and a deep sum: SPLIT CTAs have a part of the depth of each tile,
// leave their sums in a workspace and take a number; the last to arrive adds them up.
program split_k target sm_80
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BM in {32, 64, 128} = 64
param BN in {64, 128} = 64
param BK in {32, 64} = 32
param SPLIT in {2, 4, 8} = 4  // CTAs that share a tile
in x: bf16[M, K], w: bf16[N, K]
out y: f32[M, N]
workspace part: f32[SPLIT, M, N]
workspace arrived: i32[ceildiv(M, BM)*ceildiv(N, BN)] zero
where K % 8 == 0, N % 8 == 0
kernel gemm {
  const WM = BM/2
  const WN = BN/4
  const T = 256
  const PIECES = BK/8  // of 16 bytes, a row
  grid (ceildiv(N, BN), ceildiv(M, BM), SPLIT)
  smem a[2]: bf16[BM, BK] padded 8
  smem b[2]: bf16[BN, BK] padded 8
  smem last: i32[1]
  let trips = ceildiv(ceildiv(K, BK), SPLIT)  // of one CTA; the last ones may have fewer
  role main: warps 8 {
    let m0 = cta.y*BM
    let first = cta.z*trips
    let own = max(0, min(trips, ceildiv(K, BK) - first))
    let n0 = cta.x*BN
    let wm = warp / 4 * WM
    let wn = warp % 4 * WN
    let piece = thread % PIECES * 8
    var acc: mma f32[WM, WN]
    acc = 0.0
    fn multiply(t: i32) {
      for k in 0..BK/16 {
        var fa: mma.a bf16[WM, 16]
        var fb: mma.b bf16[16, WN]
        ldmatrix fa <- a@t[wm:+WM, k*16:+16]
        ldmatrix fb <- b@t[wn:+WN, k*16:+16].T
        mma acc += fa * fb
      }
    }
    fn fetch(t: i32) {
      for i in 0..ceildiv(BM*PIECES, T) {
        let row = thread / PIECES + i*(T/PIECES)
        if BM*PIECES >= T || row < BM {
          st a@t[row, piece:+8] <- ld x[m0 + row, (first + t)*BK + piece:+8] else 0.0
        }
      }
      for i in 0..BN*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        st b@t[row, piece:+8] <- ld w[n0 + row, (first + t)*BK + piece:+8] else 0.0
      }
    }
    if own > 0 { fetch(0) }
    for t in 0..own {
      sync cta
      if t + 1 < own { fetch(t + 1) }
      multiply(t)
    }
    for r in 0..acc.rows {
      for e in 0..acc.cols step 2 {
        let m = m0 + wm + acc.row(r)
        let n = n0 + wn + acc.col(e)
        if m < M && n < N { st part[cta.z, m, n:+2] <- [acc[r, e], acc[r, e + 1]] }
      }
    }
    sync cta
    once {
      let before = atomic.add.acq_rel.gpu(arrived[cta.y*ceildiv(N, BN) + cta.x], 1)
      st last[0] <- select(before == SPLIT - 1, 1, 0)
    }
    sync cta
    if ld last[0] == 1 {  // the last one adds up in a fixed order: the same bits whoever it is
      for i in thread .. BM*BN/4 step T {
        let m = m0 + i / (BN/4)
        let n = n0 + i % (BN/4) * 4
        if m < M && n < N {
          var sum: f32[4] = 0.0
          for z in 0..SPLIT {
            let v = ld part[z, m, n:+4]
            for e in 0..4 { sum[e] += v[e] }
          }
          st y[m, n:+4] <- sum
        }
      }
    }
  }
}
