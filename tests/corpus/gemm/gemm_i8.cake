// y = x w^T. A tile goes through the depth in pieces of BK, of which one waits while
// the other is multiplied by 2 x 4 warps. Rows of 80 or 144 bytes put the 8 rows that ldmatrix reads at once
// into different banks.
program gemm_i8 target sm_80
dim M in 1..=16384, N in 8..=16384, K in 16..=16384
param BM in {64, 128} = 128
param BN in {64, 128} = 128
param BK in {64, 128} = 64
in x: i8[M, K], w: i8[N, K]
out y: i32[M, N]
where K % 16 == 0, N % 8 == 0
kernel gemm {
  const WM = BM/2
  const WN = BN/4
  const T = 256
  const PIECES = BK/16  // of 16 bytes, a row
  grid (ceildiv(N, BN), ceildiv(M, BM))
  smem a[2]: i8[BM, BK] padded 16
  smem b[2]: i8[BN, BK] padded 16
  let trips = ceildiv(K, BK)
  role main: warps 8 {
    let m0 = cta.y*BM
    let n0 = cta.x*BN
    let wm = warp / 4 * WM
    let wn = warp % 4 * WN
    let piece = thread % PIECES * 16
    var acc: mma i32[WM, WN]
    acc = 0
    fn multiply(t: i32) {
      for k in 0..BK/32 {
        var fa: mma.a i8[WM, 32]
        var fb: mma.b i8[32, WN]
        ldmatrix fa <- a@t[wm:+WM, k*32:+32]
        ldmatrix fb <- b@t[wn:+WN, k*32:+32].T
        mma acc += fa * fb
      }
    }
    fn fetch(t: i32) {
      for i in 0..BM*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        st a@t[row, piece:+16] <- ld x[m0 + row, t*BK + piece:+16] else 0
      }
      for i in 0..BN*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        st b@t[row, piece:+16] <- ld w[n0 + row, t*BK + piece:+16] else 0
      }
    }
    fetch(0)
    for t in 0..trips {
      sync cta
      if t + 1 < trips { fetch(t + 1) }
      multiply(t)
    }
    for r in 0..acc.rows {
      for e in 0..acc.cols step 2 {
        let m = m0 + wm + acc.row(r)
        let n = n0 + wn + acc.col(e)
        if m < M && n < N { st y[m, n:+2] <- [acc[r, e], acc[r, e + 1]] }
      }
    }
  }
}
