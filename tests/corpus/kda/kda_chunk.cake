program kda_chunk target sm_100a  // (4)
dim BH in 1..=65536, L in 32..=1048576
const C = 32; const D = 128
in q: bf16[BH, L, D], k: bf16[BH, L, D], v: bf16[BH, L, D], gc: f32[BH, L, D]; out o: bf16[BH, L, D]
where L % C == 0
kernel chain {
  let T = L / C
  grid (BH)
  smem slot[5] {
    v: bf16[C, D] swizzle 128
    either {
      q: bf16[C, D] swizzle 128; k: bf16[C, D] swizzle 128
    } or {
      qd: bf16[C, D] swizzle 128; kd: bf16[C, D] swizzle 128; kx: bf16[C, D] swizzle 128
    }
    either {
      gram: f32[C, C] padded 4
    } or {
      tinv: bf16[C, C] swizzle 64; aqk: bf16[C, C] swizzle 64
    }
    glast: f32[D]
  }
  smem out: bf16[C, D] swizzle 128
  tmem st: f32[D, D]; tmem oacc: f32[D, C]
  either { tmem sin: bf16[D, D] } or { tmem u2: f32[D, C] }
  either { tmem u: f32[D, C] } or { tmem uin: bf16[D, C]; tmem uu: bf16[D, C] }
  event raw[5] count 1; event ops[5] count 4; event free[5] count 5
  event ready[1] count 4; event udone[1] count 1; event ulow[1] count 4; event u2done[1] count 1
  event uuok[1] count 4; event odone[1] count 1; event sdone[1] count 1; event drained[1] count 4
  role compute: warps 4 regs 168 {  // owns the state: one thread = one row (dv) of S
    var f: tmem.32x32b f32[D, C]; var w: tmem.32x32b f32[D, 32]
    w = 0.0
    for x in 0..D/32 { tmem.st st[:, x*32:+32] <- w; tmem.st sin[:, x*32:+32] <- cvt.bf16(w) }
    tmem.wait st; arrive ready@0
    for t in 0..T {
      wait ops@t; wait udone@t
      tmem.ld f <- u; tmem.wait ld
      for e in 0..f.cols { f[0, e] = cvt.f32(ld slot.v@t[e, f.row(0)]) - f[0, e] }
      tmem.st uin <- cvt.bf16(f); tmem.wait st; arrive ulow@t
      wait u2done@t
      tmem.ld f <- u2; tmem.wait ld
      tmem.st uu <- cvt.bf16(f); tmem.wait st; arrive uuok@t
      wait sdone@t
      for x in 0..D/32 {  // S(t+1) = (S + U K) * decay, and its bf16 copy
        tmem.ld w <- st[:, x*32:+32]; tmem.wait ld
        for e in 0..w.cols { w[0, e] = w[0, e] * (ld slot.glast@t[x*32 + e]) }
        tmem.st st[:, x*32:+32] <- w; tmem.st sin[:, x*32:+32] <- cvt.bf16(w)
      }
      tmem.wait st; arrive free@t
      if t + 1 < T { arrive ready@(t+1) }
    }
  }
  role epi: warps 4 regs 56 {
    var f: tmem.32x32b f32[D, C]
    for t in 0..T {
      wait odone@t; tmem.ld f <- oacc; tmem.wait ld; arrive drained@t
      once { tma.wait.read 0 }; sync role
      for e in 0..f.cols { st out[e, f.row(0)] <- cvt.bf16(f[0, e]) }
      fence async; sync role
      once { tma.store o[cta, t*C:+C, :] <- out; tma.commit }
    }
    once { tma.wait 0 }
  }
  role prep: warps 4 regs 96 {
    fn scale(t: i32, r: i32) {  // q -> qd, k -> kd in the same bytes, by the same thread
      let ga = ld gc[cta, t*C + r, lane*4:+4]
      let qv = ld slot.q@t[r, lane*4:+4]
      let kv = ld slot.k@t[r, lane*4:+4]
      var qo: bf16[4] = 0.0; var ko: bf16[4] = 0.0; var xo: bf16[4] = 0.0
      for i in 0..4 {
        qo[i] = cvt.bf16(cvt.f32(qv[i]) * exp2.approx(ga[i]))
        ko[i] = cvt.bf16(cvt.f32(kv[i]) * exp2.approx(ga[i]))
        xo[i] = cvt.bf16(cvt.f32(kv[i]) * exp2.approx(-ga[i]))
        if r == C - 1 { st slot.glast@t[lane*4 + i] <- exp2.approx(ga[i]) }
      }
      st slot.qd@t[r, lane*4:+4] <- qo
      st slot.kd@t[r, lane*4:+4] <- ko
      st slot.kx@t[r, lane*4:+4] <- xo
    }
    fn invert(t: i32, g: frag) {  // (I + strict lower(gram))^-1, one column a lane
      var col: f32[C] = 0.0
      if warp == 0 {
        for i in 0..C {
          var d: f32 = select(i == lane, 1.0, 0.0)
          for m in 0..i { d = fma(-(ld slot.gram@t[i, m]), col[m], d) }
          col[i] = select(i < lane, 0.0, d)
        }
      }
      sync role  // gram is dead: its bytes become tinv and aqk
      if warp == 0 { for i in 0..C { st slot.tinv@t[i, lane] <- cvt.bf16(col[i]) } }
      if warp >= 2 {
        for (r, e) in g {
          let i = warp%2*16 + g.row(r)
          st slot.aqk@t[i, g.col(e)] <- cvt.bf16(select(g.col(e) <= i, g[r, e], 0.0))
        }
      }
    }
    var g: mma f32[16, C]; var fa: mma.a bf16[16, 16]; var fb: mma.b bf16[16, C]
    for t in 0..T {
      wait raw@t
      for r in warp .. C step 4 { scale(t, r) }
      sync role
      g = 0.0  // warps 0, 1: K K^T   warps 2, 3: Q K^T
      for x in 0..D/16 {
        if warp < 2 {
          ldmatrix fa <- slot.kd@t[warp%2*16:+16, x*16:+16]
        } else {
          ldmatrix fa <- slot.qd@t[warp%2*16:+16, x*16:+16]
        }
        ldmatrix fb <- slot.kx@t[:, x*16:+16].T
        mma g += fa * fb
      }
      if warp < 2 { for (r, e) in g { st slot.gram@t[warp*16 + g.row(r), g.col(e)] <- g[r, e] } }
      sync role
      invert(t, g)
      fence async; arrive ops@t
    }
  }
  role tc: warps 1 regs 48 {
    for t in 0..T {
      wait ops@t; wait ready@t; wait drained@(t-1)
      umma u = sin * slot.kd@t.T; umma oacc = sin * slot.qd@t.T; umma.commit udone@t
      wait ulow@t; umma u2 = uin * slot.tinv@t.T; umma.commit u2done@t
      wait uuok@t; umma oacc += uu * slot.aqk@t.T; umma.commit odone@t
      umma st += uu * slot.kx@t; umma.commit sdone@t; umma.commit free@t
    }
  }
  role load: warps 1 regs 48 {
    for t in 0..T {
      wait free@(t-5)
      tma.load slot.q@t <- q[cta, t*C:+C, :] on raw@t
      tma.load slot.k@t <- k[cta, t*C:+C, :] on raw@t
      tma.load slot.v@t <- v[cta, t*C:+C, :] on raw@t
      expect raw@t
    }
  }
}
