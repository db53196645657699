// y = x w^T. A tile goes through the depth in pieces of BK, of which STAGES - 1 are on their way while
// one is multiplied by 2 x 4 warps. Rows of 80 or 144 bytes put the 8 rows that ldmatrix reads at once
// into different banks.
program gemm_bf16_async target sm_80
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BM in {64, 128} = 128
param BN in {64, 128} = 128
param BK in {32, 64} = 32
param STAGES in 2..=4 = 3
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  const WM = BM/2
  const WN = BN/4
  const T = 256
  const PIECES = BK/8  // of 16 bytes, a row
  grid (ceildiv(N, BN), ceildiv(M, BM))
  smem a[STAGES]: bf16[BM, BK] padded 8
  smem b[STAGES]: bf16[BN, BK] padded 8
  let trips = ceildiv(K, BK)
  role main: warps 8 {
    let m0 = cta.y*BM
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
      for i in 0..BM*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        cp.async a@t[row, piece:+8] <- x[m0 + row, t*BK + piece:+8] else 0.0
      }
      for i in 0..BN*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        cp.async b@t[row, piece:+8] <- w[n0 + row, t*BK + piece:+8] else 0.0
      }
    }
    for t in 0..STAGES - 1 {
      if t < trips { fetch(t) }
      cp.async.commit
    }
    for t in 0..trips {
      cp.async.wait STAGES - 2
      sync cta
      if t + STAGES - 1 < trips { fetch(t + STAGES - 1) }
      cp.async.commit
      multiply(t)
    }
    for r in 0..acc.rows {
      for e in 0..acc.cols step 2 {
        let m = m0 + wm + acc.row(r)
        let n = n0 + wn + acc.col(e)
        if m < M && n < N { st y[m, n:+2] <- cvt.bf16([acc[r, e], acc[r, e + 1]]) }
      }
    }
  }
}
