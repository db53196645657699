// o = softmax(scale q k^T) v of one query a sequence over a paged cache. SPLITS CTAs share a sequence; a warp has one
// key head and takes whole pages by copies of its own, so warps never wait for each other. A second kernel weighs the parts.
program paged_decode target sm_90a
dim B in 1..=4096, HK in 1..=16, G in 1..=8, P in 1..=4096, PAGES in 1..=1048576
const D = 128
const PS = 16  // slots of a page
param HEADS in {1, 2, 4, 8} = 4  // key heads of a CTA
param STAGES in 2..=6 = 3
param SPLITS in {1, 2, 4, 8, 16} = 2
in q: bf16[B, HK, G, D]  // G queries a key head
in static kc: bf16[PAGES, PS, HK, D], vc: bf16[PAGES, PS, HK, D]
in lens: i32[B], table: i32[B, P]
out o: bf16[B, HK, G, D]
arg scale: f32
workspace part: f32[SPLITS, B, HK, G, D]
workspace weight: f32[SPLITS, B, HK, G, 2]  // the largest score and the sum of the weights below it
where lens in 0..=PS*P, table[b, j] in 0..PAGES if 16*j < lens[b]
kernel split {
  const LOG2E = 1.4426950408889634
  grid (SPLITS, ceildiv(HK, HEADS), B)
  smem ks[STAGES]: bf16[HEADS*PS, D] swizzle 128
  smem vs[STAGES]: bf16[HEADS*PS, D] swizzle 128
  role main: warps HEADS {
    let b = cta.z
    let hk = cta.y*HEADS + warp
    let len = ld lens[b]
    let pages = ceildiv(len, PS)
    let share = ceildiv(pages, SPLITS)
    let first = min(cta.x*share, pages)
    let own = select(hk < HK, min(share, pages - first), 0)
    let row = lane / 16
    let piece = lane % 16 * 8
    var page: i32 = 0  // of the next fetch: the number is on its way while older pages are
    if own > 0 { page = ld table[b, first] else 0 }
    fn fetch(n: i32) {
      if n < own {
        for i in 0..PS/2 {
          let r = row + 2*i
          let slot = select((first + n)*PS + r < len, r, PS)  // behind the last token: zeros
          cp.async ks@n[warp*PS + r, piece:+8] <- kc[page, slot, hk, piece:+8] else 0.0
          cp.async vs@n[warp*PS + r, piece:+8] <- vc[page, slot, hk, piece:+8] else 0.0
        }
      }
      cp.async.commit
      if n + 1 < own { page = ld table[b, first + n + 1] else 0 }
    }
    for n in 0..STAGES - 1 { fetch(n) }
    var qf: mma.a bf16[16, D]
    var acc: mma f32[16, D]
    var s: mma f32[16, PS]
    var p: mma.a bf16[16, PS]
    var top: f32[s.rows] = -inf
    var sum: f32[s.rows] = 0.0
    acc = 0.0
    for (r, e) in qf {
      let g = qf.row(r)
      qf[r, e] = cvt.bf16(0.0)
      if hk < HK && g < G { qf[r, e] = ld q[b, hk, g, qf.col(e)] }
    }
    for n in 0..own {
      cp.async.wait STAGES - 2
      sync warp  // the slot of the page before is free: all have read it
      fetch(n + STAGES - 1)
      s = 0.0
      for d in 0..D/16 {
        var kf: mma.b bf16[16, PS]
        ldmatrix kf <- ks@n[warp*PS:+PS, d*16:+16].T
        mma s += qf[:, d*16:+16] * kf
      }
      for r in 0..s.rows {
        var high = top[r]
        for e in 0..s.cols {
          let token = (first + n)*PS + s.col(e)
          s[r, e] = select(token < len, s[r, e] * (scale * LOG2E), -inf)
          high = max(high, s[r, e])
        }
        high = lanes.max(high, 4)
        let old = exp2.approx(top[r] - high)
        top[r] = high
        var mine: f32 = 0.0
        for e in 0..s.cols {
          s[r, e] = exp2.approx(s[r, e] - high)
          mine += s[r, e]
        }
        sum[r] = fma(sum[r], old, mine)
        for e in 0..acc.cols { acc[r, e] *= old }
      }
      p = cvt.bf16(s)
      var vf: mma.b bf16[PS, D]
      ldmatrix vf <- vs@n[warp*PS:+PS, :]
      mma acc += p * vf
    }
    if hk < HK {
      for r in 0..acc.rows {
        let g = acc.row(r)
        let total = lanes.sum(sum[r], 4)
        if g < G {
          if lane % 4 == 0 { st weight[cta.x, b, hk, g, :] <- [top[r], total] }
          for e in 0..acc.cols step 2 {
            st part[cta.x, b, hk, g, acc.col(e):+2] <- [acc[r, e], acc[r, e + 1]]
          }
        }
      }
    }
  }
}
kernel combine pdl {
  grid (HK, B)
  role main: warps 8 {
    let h = cta.x
    let g = warp
    let b = cta.y
    pdl.wait
    if g < G {
      var top: f32 = -inf
      for z in 0..SPLITS { top = max(top, ld weight[z, b, h, g, 0]) }
      var sum: f32 = 0.0
      var v: f32[4] = 0.0
      for z in 0..SPLITS {
        let high = ld weight[z, b, h, g, 0]
        let share = select(high == -inf, 0.0, exp2.approx(high - top))
        let x = ld part[z, b, h, g, lane*4:+4]
        sum = fma(ld weight[z, b, h, g, 1], share, sum)
        for e in 0..4 { v[e] = fma(x[e], share, v[e]) }
      }
      let scaled = select(sum > 0.0, 1.0 / sum, 0.0)
      st o[b, h, g, lane*4:+4] <- cvt.bf16([v[0]*scaled, v[1]*scaled, v[2]*scaled, v[3]*scaled])
    }
  }
}
