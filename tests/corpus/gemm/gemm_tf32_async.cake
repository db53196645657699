// y = x w^T. A tile goes through the depth in pieces of BK, of which STAGES - 1 are on their way while
// one is multiplied by 2 x 4 warps. Factors are rounded to
// tf32 on the way from shared memory; rows with 4 spare words keep the lanes of a load in different banks.
program gemm_tf32_async target sm_80
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BM in {64, 128} = 128
param BN in {64, 128} = 128
param BK in {16, 32} = 16
param STAGES in 2..=4 = 3
in x: f32[M, K], w: f32[N, K]
out y: f32[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  const WM = BM/2
  const WN = BN/4
  const T = 256
  const PIECES = BK/4  // of 16 bytes, a row
  grid (ceildiv(N, BN), ceildiv(M, BM))
  smem a[STAGES]: f32[BM, BK] padded 4
  smem b[STAGES]: f32[BN, BK] padded 4
  let trips = ceildiv(K, BK)
  role main: warps 8 {
    let m0 = cta.y*BM
    let n0 = cta.x*BN
    let wm = warp / 4 * WM
    let wn = warp % 4 * WN
    let piece = thread % PIECES * 4
    var acc: mma f32[WM, WN]
    acc = 0.0
    fn multiply(t: i32) {
      for k in 0..BK/8 {
        var fa: mma.a tf32[WM, 8]
        var fb: mma.b tf32[8, WN]
        for (r, e) in fa { fa[r, e] = cvt.tf32.rna(ld a@t[wm + fa.row(r), k*8 + fa.col(e)]) }
        for (r, e) in fb { fb[r, e] = cvt.tf32.rna(ld b@t[wn + fb.col(e), k*8 + fb.row(r)]) }
        mma acc += fa * fb
      }
    }
    fn fetch(t: i32) {
      for i in 0..BM*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        cp.async a@t[row, piece:+4] <- x[m0 + row, t*BK + piece:+4] else 0.0
      }
      for i in 0..BN*PIECES/T {
        let row = thread / PIECES + i*(T/PIECES)
        cp.async b@t[row, piece:+4] <- w[n0 + row, t*BK + piece:+4] else 0.0
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
        if m < M && n < N { st y[m, n:+2] <- [acc[r, e], acc[r, e + 1]] }
      }
    }
  }
}
