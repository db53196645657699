// Two accumulators lie in the same columns; the second is written while the first may still be read.
program p target sm_100a
in x: bf16[128, 64], w: bf16[64, 64]
out y: f32[128, 64], z: f32[128, 64]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  either { tmem qk: f32[128, 64] } or { tmem dq: f32[128, 64] }
  event full[1] count 1
  event scores[1] count 1
  event empty[1] count 4
  event done[1] count 1
  role epilogue: warps 4 {
    var f: tmem.32x32b f32[128, 64]
    var g: tmem.32x32b f32[128, 64]
    wait scores@0
    tmem.ld f <- qk
    tmem.wait ld
    arrive empty@0
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
    wait done@0
    tmem.ld g <- dq
    tmem.wait ld
    for e in 0..g.cols { st z[g.row(0), e] <- g[0, e] }
  }
  role multiply: warps 1 {
    tma.load a <- x on full@0
    tma.load b <- w on full@0
    expect full@0
    wait full@0
    umma qk = a * b.T
    umma.commit scores@0
    wait scores@0
    umma dq = a * b.T
    umma.commit done@0
  }
}
