// Half of the lanes use what they loaded; the loads of the others are as little over.
program p target sm_100a
in x: bf16[128, 64], w: bf16[32, 64]
out y: f32[128, 32], z: f32[128, 32]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[1] count 1
  event done[1] count 1
  event read[1] count 4
  event over[1] count 1
  role epilogue: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    var g: tmem.32x32b f32[128, 32]
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    arrive read@0
    if lane < 16 { for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] } }
    else { for e in 0..f.cols { st y[f.row(0), e] <- 0.0 } }
    wait over@0
    tmem.ld g <- acc
    tmem.wait ld
    for e in 0..g.cols { st z[g.row(0), e] <- g[0, e] }
  }
  role multiply: warps 1 {
    tma.load a <- x on full@0
    tma.load b <- w on full@0
    expect full@0
    wait full@0
    umma acc = a * b.T
    umma.commit done@0
    wait read@0
    umma acc = a * b.T
    umma.commit over@0
  }
}
