// The accumulator is read after a barrier among threads; the product itself has told nobody that it is over.
program p target sm_100a
in x: bf16[128, 64], w: bf16[32, 64]
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
    if warp == 0 {
      tma.load a <- x on full@0
      tma.load b <- w on full@0
      expect full@0
      wait full@0
      umma acc = a * b.T
      umma.commit done@0
    }
    sync role
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
    wait done@0
  }
}
