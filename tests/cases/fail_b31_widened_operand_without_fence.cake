// What threads widen for a product of tensor memory needs the fence of shared memory as well.
program p target sm_100a
in x: e4m3[32, 64], w: bf16[128, 64]
out y: f32[128, 32]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[1] count 1
  event done[1] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    for r in warp..32 step 4 {
      let v = cvt.f32(ld x[r, lane*2:+2])
      st b[r, lane*2:+2] <- cvt.bf16(v)
    }
    sync role
    if warp == 0 {
      tma.load a <- w on full@0
      expect full@0
      wait full@0
      umma acc = a * b.T
      umma.commit done@0
    }
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
