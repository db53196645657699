// o = softmax(scale q k^T) v, query s sees the keys up to s + SK - SQ, as many CTAs as multiprocessors. Tiles that see most
// keys come first, so that all end together; heads in groups whose keys and values L2 holds.
program attention_causal target sm_90a
dim B in 1..=64, HQ in 1..=256, HK in 1..=32, SQ in 1..=16384, SK in 1..=32768
const D = 128
const BM = 128
param BN in {96, 128} = 128  // keys a tile
param GROUP in {4, 8, 16} = 8  // heads
in q: bf16[B, HQ, SQ, D], k: bf16[B, HK, SK, D], v: bf16[B, HK, SK, D]
out o: bf16[B, HQ, SQ, D]
arg scale: f32
where HQ % HK == 0, SK >= SQ
kernel forward {
  numerics contract
  grid (SMS)
  let sl = scale*1.4426950408889634
  let past = SK - SQ
  let MT = ceildiv(SQ, BM)
  let HG = ceildiv(HQ, GROUP)
  ring qs[1] { q: bf16[BM, D] swizzle 128 } from load to math
  ring ks[2] { k: bf16[BN, D] swizzle 128 } from load to math
  ring vs[2] { v: bf16[BN, D] swizzle 128 } from load to math
  barrier turn[2] threads 256
  dynamic iter work() -> (i32, i32, i32) {
    for t in cta..B*HG*MT*GROUP step ctas {
      let i = t / GROUP
      let g = i / MT
      yield (MT - 1 - i % MT)*BM, g % HG * GROUP + t % GROUP, g / HG
    }
  }
  fn tiles_of(m: i32) -> i32 { return min(ceildiv(SK, BN), ceildiv(m + BM + past, BN)) }
  role load: warps 1 regs 24 {
    var it = 0
    var use = 0
    for (m, head, batch) in work() {
      if head < HQ {
        let h = head / (HQ / HK)
        acquire qs@use
        tma.load qs.q@use <- q[batch, head, m:+BM, :]
        commit qs@use
        use += 1
        for n in 0..tiles_of(m) {
          acquire ks@it
          tma.load ks.k@it <- k[batch, h, n*BN:+BN, :]
          commit ks@it
          acquire vs@it
          tma.load vs.v@it <- v[batch, h, n*BN:+BN, :]
          commit vs@it
          it += 1
        }
      }
    }
  }
  role math: warps 8 regs 240 {
    var s: wgmma f32[64, BN]
    var acc: wgmma f32[64, D]
    var p: wgmma.a bf16[64, BN]
    var top: f32[s.rows] = -inf
    var sum: f32[s.rows] = 0.0
    var fix: f32[s.rows] = 1.0
    var seen: i32[s.rows] = 0  // keys that a row sees
    var it = 0
    var use = 0
    fn softmax(n: i32, masked: const bool) {
      for r in 0..s.rows {
        var t = top[r]
        for e in 0..s.cols {
          if masked { if n*BN + s.col(e) >= seen[r] { s[r, e] = -inf } }
          t = max(t, s[r, e])
        }
        t = lanes.max(t, 4)
        let base = select(t == -inf, 0.0, t*sl)
        fix[r] = exp2.approx(top[r]*sl - base)
        top[r] = t
        sum[r] = sum[r]*fix[r]
        for e in 0..s.cols {
          s[r, e] = exp2.approx(s[r, e]*sl - base)
          sum[r] += s[r, e]
        }
      }
    }
    fn block(n: i32, masked: const bool) {  // scores of tile n and values of the tile before it
      wait ks@it
      bar.sync turn[wg]
      wgmma s = qs.q@use[wg*64:+64, :] * ks.k@it.T
      wgmma.commit
      wait vs@(it-1)
      wgmma acc += p * vs.v@(it-1)
      wgmma.commit
      bar.arrive turn[1-wg]
      wgmma.wait 1
      release ks@it
      softmax(n, masked)
      wgmma.wait 0
      release vs@(it-1)
      for (r, e) in acc { acc[r, e] = acc[r, e]*fix[r] }
      p = cvt.bf16(s)
      it += 1
    }
    if wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    for (m, head, batch) in work() {
      if head < HQ {
        let tiles = tiles_of(m)
        for r in 0..s.rows {
          top[r] = -inf; sum[r] = 0.0; seen[r] = m + wg*64 + s.row(r) + past + 1
        }
        acc = 0.0
        wait qs@use
        wait ks@it
        bar.sync turn[wg]
        wgmma s = qs.q@use[wg*64:+64, :] * ks.k@it.T
        wgmma.commit
        bar.arrive turn[1-wg]
        wgmma.wait 0
        release ks@it
        softmax(0, true)
        p = cvt.bf16(s)
        it += 1
        let edge = max(min(tiles, (m + past + 1) / BN), 1)
        for n in 1..edge { block(n, false) }
        for n in edge..tiles { block(n, true) }
        release qs@use
        use += 1
        wait vs@(it-1)
        wgmma acc += p * vs.v@(it-1)
        wgmma.commit
        wgmma.wait 0
        release vs@(it-1)
        for r in 0..acc.rows {
          let scaled = 1.0 / lanes.sum(sum[r], 4)
          let row = m + wg*64 + acc.row(r)
          if row < SQ {
            for e in 0..acc.cols step 2 {
              st o[batch, head, row, acc.col(e):+2] <-
                  cvt.bf16([acc[r, e]*scaled, acc[r, e + 1]*scaled])
            }
          }
        }
      }
    }
    if wg == 0 { bar.sync turn[0] }  // every arrival of a named barrier is consumed
  }
}
