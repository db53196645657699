// o = softmax(scale q k^T) v. A warp has 16 queries: their rows stay in registers as the left operand,
// scores become weights in place, and weights become the left operand of the second product without a
// move between lanes. The next keys and values are on their way meanwhile.
program attention_async target sm_80
dim B in 1..=64, HQ in 1..=256, HK in 1..=16, SQ in 1..=16384, SK in 1..=16384
const D = 128
param WARPS in {2, 4, 8} = 4
param BN in {32, 64} = 64  // keys a tile
in q: bf16[B, HQ, SQ, D], k: bf16[B, HK, SK, D], v: bf16[B, HK, SK, D]
out o: bf16[B, HQ, SQ, D]
arg scale: f32
where HQ % HK == 0
kernel forward {
  const BM = 16*WARPS
  const STEP = 2*WARPS  // rows that the threads copy at a time
  const LOG2E = 1.4426950408889634
  grid (ceildiv(SQ, BM), HQ, B)
  smem qs: bf16[BM, D] padded 8
  smem ks[2]: bf16[BN, D] padded 8
  smem vs[2]: bf16[BN, D] padded 8
  role main: warps WARPS {
    let m0 = cta.x*BM
    let h = cta.y
    let b = cta.z
    let hk = h / (HQ / HK)
    let row = thread / 16
    let piece = thread % 16 * 8
    let tiles = ceildiv(SK, BN)
    fn fetch(n: i32) {
      for i in 0..BN/STEP {
        let r = row + i*STEP
        cp.async ks@n[r, piece:+8] <- k[b, hk, n*BN + r, piece:+8] else 0.0
        cp.async vs@n[r, piece:+8] <- v[b, hk, n*BN + r, piece:+8] else 0.0
      }
    }
    for i in 0..BM/STEP {
      let r = row + i*STEP
      cp.async qs[r, piece:+8] <- q[b, h, m0 + r, piece:+8] else 0.0
    }
    fetch(0)
    cp.async.commit
    cp.async.wait 0
    sync cta
    var qf: mma.a bf16[16, D]
    ldmatrix qf <- qs[warp*16:+16, :]
    var acc: mma f32[16, D]
    acc = 0.0
    var top: f32[acc.rows] = -inf
    var sum: f32[acc.rows] = 0.0
    for n in 0..tiles {
      if n + 1 < tiles { fetch(n + 1) }
      cp.async.commit
      var s: mma f32[16, BN]
      s = 0.0
      for d in 0..D/16 {
        var kf: mma.b bf16[16, BN]
        ldmatrix kf <- ks@n[:, d*16:+16].T
        mma s += qf[:, d*16:+16] * kf
      }
      for r in 0..s.rows {
        var high = top[r]
        for e in 0..s.cols {
          s[r, e] = select(n*BN + s.col(e) < SK, s[r, e] * (scale * LOG2E), -inf)
          high = max(high, s[r, e])
        }
        high = lanes.max(high, 4)
        let old = exp2.approx(top[r] - high)
        top[r] = high
        var own: f32 = 0.0
        for e in 0..s.cols {
          s[r, e] = exp2.approx(s[r, e] - high)
          own += s[r, e]
        }
        sum[r] = fma(sum[r], old, own)
        for e in 0..acc.cols { acc[r, e] *= old }
      }
      var p: mma.a bf16[16, BN]
      p = cvt.bf16(s)
      for t in 0..BN/16 {
        var vf: mma.b bf16[16, D]
        ldmatrix vf <- vs@n[t*16:+16, :]
        mma acc += p[:, t*16:+16] * vf
      }
      cp.async.wait 0
      sync cta
    }
    for r in 0..acc.rows {
      let m = m0 + warp*16 + acc.row(r)
      let share = 1.0 / lanes.sum(sum[r], 4)
      if m < SQ {
        for e in 0..acc.cols step 2 {
          st o[b, h, m, acc.col(e):+2] <- cvt.bf16([acc[r, e] * share, acc[r, e + 1] * share])
        }
      }
    }
  }
}
