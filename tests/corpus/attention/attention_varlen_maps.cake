// Packed sequences of any lengths: o = softmax(scale q k^T) v within each, query s of lq sees keys up to s + lk - lq;
// lse = the logarithm of the sums. CTAs take tiles of rows of heads, the longest rows first; a loading warp and two
// warpgroups that take turns. Tensor maps are patched to end where a sequence ends: what is loaded of v behind it is
// zero, and what is computed of o behind it is not stored.
program attention_varlen_maps target sm_90a
dim B in 1..=1024, TQ in 1..=1048576, TK in 1..=1048576, HQ in 1..=256, HK in 1..=64
const D = 128; const BM = 128; param BN in {96, 128} = 128
in q: bf16[TQ, HQ, D], k: bf16[TK, HK, D], v: bf16[TK, HK, D], cuq: i32[B+1], cuk: i32[B+1]
out o: bf16[TQ, HQ, D], lse: f32[HQ, TQ]; arg scale: f32
where HQ % HK == 0, ceildiv(TQ, BM)*HQ*B in 1..=196601, cuq in 0..=TQ, steps(cuq) in 0..=TQ,
    cuq[0] == 0, cuq[B] == TQ, cuk in 0..=TK, steps(cuk) in 0..=TK
kernel fwd {
  numerics contract
  grid (SMS)
  let sl = scale * 1.44269504; let MT = ceildiv(TQ, BM)
  ring qs[1] { q: bf16[BM, D] swizzle 128 } from load to math
  ring ks[2] { k: bf16[BN, D] swizzle 128 } from load to math
  ring vs[2] { v: bf16[BN, D] swizzle 128 } from load to math
  smem out: bf16[BM, D] swizzle 128
  tensormap v, o
  event over[1] count 8  // the loads of a tile of rows are complete: the map may be set again
  barrier turn[2] threads 256
  iter work() -> (i32, i32, i32, i32, i32, i32) {  // row in sequence, head, q0, lq, k0, lk
    for t in cta .. MT*HQ*B step ctas {
      let b = t / HQ % B
      let q0 = ld cuq[b]
      let k0 = ld cuk[b]
      let lq = ld cuq[b+1] - q0
      let lk = ld cuk[b+1] - k0
      let m = (MT - 1 - t / (HQ*B)) * BM  // longest rows first
      if m < lq { yield m, t % HQ, q0, lq, k0, lk }
    }
  }
  fn blocks(m: i32, lq: i32, lk: i32) -> i32 {
    return ceildiv(max(min(lk, m + BM + lk - lq), 0), BN)
  }
  role load: warps 1 regs 24 {
    var i = 0; var j = 0
    for (m, h, q0, lq, k0, lk) in work() {
      let nb = blocks(m, lq, lk)
      if nb > 0 {
        wait over@(i-1)
        tensormap.set v[max(k0 + lk, 1), :, :]
        acquire qs@i; tma.load qs.q@i <- q[q0 + m:+BM, h, :]; commit qs@i
        i += 1
        for n in 0..nb {
          let r = k0 + (nb - 1 - n)*BN
          acquire ks@j; tma.load ks.k@j <- k[r:+BN, h / (HQ/HK), :]; commit ks@j
          acquire vs@j; tma.load vs.v@j <- v[r:+BN, h / (HQ/HK), :]; commit vs@j
          j += 1
        }
      }
    }
  }
  role math: warps 8 regs 240 {
    var i = 0; var j = 0
    var s: wgmma f32[64, BN]; var acc: wgmma f32[64, D]; var p: wgmma.a bf16[64, BN]
    if wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    for (m, h, q0, lq, k0, lk) in work() {
      let nb = blocks(m, lq, lk); let row0 = m + wg*64
      var mx: f32[s.rows] = -inf
      var sum: f32[s.rows] = 0.0
      var fix: f32[s.rows] = 1.0
      var lim: i32[s.rows] = 0
      for r in 0..s.rows { lim[r] = min(lk, row0 + s.row(r) + 1 + lk - lq) }
      acc = 0.0
      fn softmax(n0: i32, masked: const bool) {
        for r in 0..s.rows {
          var t = mx[r]
          for e in 0..s.cols {
            if masked { if n0 + s.col(e) >= lim[r] { s[r, e] = -inf } }; t = max(t, s[r, e])
          }
          t = lanes.max(t, 4)
          let u = select(t == -inf, 0.0, t*sl)
          fix[r] = exp2.approx(mx[r]*sl - u); mx[r] = t; sum[r] = sum[r]*fix[r]
          for e in 0..s.cols { s[r, e] = exp2.approx(s[r, e]*sl - u); sum[r] += s[r, e] }
        }
      }
      fn block(n: i32, masked: const bool) {  // S(n) and O += P(n-1) V(n-1) in flight together
        wait ks@(j+1); bar.sync turn[wg]
        wgmma s = qs.q@i[wg*64:+64, :] * ks.k@(j+1).T; wgmma.commit
        wait vs@j
        wgmma acc += p * vs.v@j; wgmma.commit
        bar.arrive turn[1-wg]
        wgmma.wait 1; release ks@(j+1)
        softmax((nb - 1 - n)*BN, masked)
        wgmma.wait 0; release vs@j; j += 1
        for (r, e) in acc { acc[r, e] = acc[r, e]*fix[r] }
        p = cvt.bf16(s)
      }
      if nb > 0 {
        wait qs@i; wait ks@j
        bar.sync turn[wg]
        wgmma s = qs.q@i[wg*64:+64, :] * ks.k@j.T; wgmma.commit
        bar.arrive turn[1-wg]
        wgmma.wait 0; release ks@j
        softmax((nb - 1)*BN, true); p = cvt.bf16(s)
        let edge = min(nb, BM/BN + 2)
        for n in 1..edge { block(n, true) }
        for n in edge..nb { block(n, false) }
        wait vs@j; arrive over@i
        wgmma acc += p * vs.v@j; wgmma.commit; wgmma.wait 0
        release vs@j; j += 1; release qs@i; i += 1
      }
      for r in 0..acc.rows {
        let tot = lanes.sum(sum[r], 4); let row = row0 + acc.row(r)
        let inv = select(tot > 0.0, 1.0 / tot, 0.0)
        for e in 0..acc.cols { acc[r, e] *= inv }
        if row < lq && lane % 4 == 0 {
          st lse[h, q0 + row] <- select(tot > 0.0, mx[r]*scale + log(tot), -inf)
        }
      }
      if warp % 4 == 0 { elect { tma.wait.read 0 } }  // the tile before has been read
      sync wg
      stmatrix out[wg*64:+64, :] <- cvt.bf16(acc)
      fence async
      sync wg
      if row0 < lq && warp % 4 == 0 {
        elect { tma.wait 0 }
        tensormap.set o[q0 + lq, :, :]
        elect { tma.store o[q0 + row0:+64, h, :] <- out[wg*64:+64, :]; tma.commit }
      }
    }
    if warp % 4 == 0 { elect { tma.wait 0 } }
    if wg == 0 { bar.sync turn[0] }  // every arrival of a named barrier is consumed
  }
}
