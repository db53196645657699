// o = softmax(scale q k^T) v by a loading warp and two warpgroups that take turns: while one multiplies, the other
// makes weights of its scores. The product of the next scores and the one with the values are in flight together.
program attention target sm_90a
dim B in 1..=64, HQ in 1..=256, HK in 1..=32, SQ in 1..=16384, SK in 1..=16384
const D = 128
const BM = 128
param BN in {64, 96, 128} = 128  // keys a tile
in q: bf16[B, HQ, SQ, D], k: bf16[B, HK, SK, D], v: bf16[B, HK, SK, D]
out o: bf16[B, HQ, SQ, D]
arg scale: f32
where HQ % HK == 0
kernel forward {
  numerics contract
  grid (ceildiv(SQ, BM), HQ, B)
  let sl = scale*1.4426950408889634
  let tiles = ceildiv(SK, BN)
  let m = cta.x*BM
  ring qs[1] { q: bf16[BM, D] swizzle 128 } from load to math
  ring ks[2] { k: bf16[BN, D] swizzle 128 } from load to math
  ring vs[2] { v: bf16[BN, D] swizzle 128 } from load to math
  barrier turn[2] threads 256
  role load: warps 1 regs 24 {
    let h = cta.y / (HQ / HK)
    acquire qs@0
    tma.load qs.q@0 <- q[cta.z, cta.y, m:+BM, :]
    commit qs@0
    for n in 0..tiles {
      acquire ks@n
      tma.load ks.k@n <- k[cta.z, h, n*BN:+BN, :]
      commit ks@n
      acquire vs@n
      tma.load vs.v@n <- v[cta.z, h, n*BN:+BN, :]
      commit vs@n
    }
  }
  role math: warps 8 regs 240 {
    var s: wgmma f32[64, BN]
    var acc: wgmma f32[64, D]
    var p: wgmma.a bf16[64, BN]
    var top: f32[s.rows] = -inf
    var sum: f32[s.rows] = 0.0
    var fix: f32[s.rows] = 1.0
    acc = 0.0
    fn softmax(n: i32, ragged: const bool) {
      for r in 0..s.rows {
        var t = top[r]
        for e in 0..s.cols {
          if ragged { if n*BN + s.col(e) >= SK { s[r, e] = -inf } }
          t = max(t, s[r, e])
        }
        t = lanes.max(t, 4)
        let u = select(t == -inf, 0.0, t*sl)
        fix[r] = exp2.approx(top[r]*sl - u)
        top[r] = t
        sum[r] = sum[r]*fix[r]
        for e in 0..s.cols {
          s[r, e] = exp2.approx(s[r, e]*sl - u)
          sum[r] += s[r, e]
        }
      }
    }
    fn block(n: i32, ragged: const bool) {  // scores of tile n and values of the tile before it
      wait ks@n
      bar.sync turn[wg]
      wgmma s = qs.q@0[wg*64:+64, :] * ks.k@n.T
      wgmma.commit
      wait vs@(n-1)
      wgmma acc += p * vs.v@(n-1)
      wgmma.commit
      bar.arrive turn[1-wg]
      wgmma.wait 1
      release ks@n
      softmax(n, ragged)
      wgmma.wait 0
      release vs@(n-1)
      for (r, e) in acc { acc[r, e] = acc[r, e]*fix[r] }
      p = cvt.bf16(s)
    }
    if wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    wait qs@0
    wait ks@0
    bar.sync turn[wg]
    wgmma s = qs.q@0[wg*64:+64, :] * ks.k@(0).T
    wgmma.commit
    bar.arrive turn[1-wg]
    wgmma.wait 0
    release ks@0
    softmax(0, true)
    p = cvt.bf16(s)
    for n in 1..tiles - 1 { block(n, false) }
    if tiles > 1 { block(tiles - 1, true) }
    wait vs@(tiles-1)
    wgmma acc += p * vs.v@(tiles-1)
    wgmma.commit
    wgmma.wait 0
    release vs@(tiles-1)
    release qs@0
    if wg == 0 { bar.sync turn[0] }  // every arrival of a named barrier is consumed
    for r in 0..acc.rows {
      let scaled = 1.0 / lanes.sum(sum[r], 4)
      let row = m + wg*64 + acc.row(r)
      if row < SQ {
        for e in 0..acc.cols step 2 {
          st o[cta.z, cta.y, row, acc.col(e):+2] <-
              cvt.bf16([acc[r, e]*scaled, acc[r, e + 1]*scaled])
        }
      }
    }
  }
}
