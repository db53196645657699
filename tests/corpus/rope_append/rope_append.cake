// One CTA a sequence, 8 lanes a head: a lane turns elements d .. d+7 and 64+d .. 64+d+7 of each head that
// it meets by angles that it loads once.
program rope_append target sm_80
dim B in 0..=4096, HQ in 1..=256, HK in 1..=16, P in 1..=256, PAGES in 0..=1052672
const D = 128
const H = D/2
const PS = 16  // slots of a page
param WARPS in {1, 2, 4, 8} = 4
in q: bf16[B, HQ, D], k: bf16[B, HK, D], v: bf16[B, HK, D], turn: f32[PS*P, D]
in lens: i32[B], table: i32[B, P]
inout kc: bf16[PAGES, PS, HK, D], vc: bf16[PAGES, PS, HK, D]
out qr: bf16[B, HQ, D]
where lens in 0..PS*P, table in 0..PAGES, distinct(table)
kernel append {
  const STEP = 4*WARPS  // heads at a time
  grid (B)
  role main: warps WARPS {
    let b = cta
    let d = thread % 8 * 8
    let at = ld lens[b]
    let page = ld table[b, at / PS]
    let slot = at % PS
    var c: f32[8] = 0.0
    var s: f32[8] = 0.0
    for g in 0..2 {
      let cosines = ld turn[at, d + g*4:+4]
      let sines = ld turn[at, H + d + g*4:+4]
      for e in 0..4 { c[g*4 + e] = cosines[e]; s[g*4 + e] = sines[e] }
    }
    fn turned(low: bf16[8], high: bf16[8]) -> (bf16[8], bf16[8]) {
      var x: bf16[8] = 0.0
      var y: bf16[8] = 0.0
      for e in 0..8 {
        let l = cvt.f32(low[e])
        let h = cvt.f32(high[e])
        x[e] = cvt.bf16(l*c[e] - h*s[e])
        y[e] = cvt.bf16(h*c[e] + l*s[e])
      }
      return x, y
    }
    for h in thread / 8 .. HQ step STEP {
      let (x, y) = turned(ld q[b, h, d:+8], ld q[b, h, H + d:+8])
      st qr[b, h, d:+8] <- x
      st qr[b, h, H + d:+8] <- y
    }
    for h in thread / 8 .. HK step STEP {
      let (x, y) = turned(ld k[b, h, d:+8], ld k[b, h, H + d:+8])
      st kc[page, slot, h, d:+8] <- x
      st kc[page, slot, h, H + d:+8] <- y
      st vc[page, slot, h, d:+8] <- ld v[b, h, d:+8]
      st vc[page, slot, h, H + d:+8] <- ld v[b, h, H + d:+8]
    }
  }
}
