// Of two places that give the columns back, one waits for the load and the other does not.
program p target sm_100a
dim T in 1..=16
in x: bf16[128*T, 64], w: bf16[32, 64], s: f32[T]
out y: f32[128*T, 32]
kernel k {
  grid (1)
  smem a[2]: bf16[128, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[2] count 1
  event have[1] count 1
  event done[1] count 1
  event read[2] count 1
  event free[1] count 4
  role epilogue: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    for t in 0..T {
      wait done@t
      tmem.ld f <- acc
      if t % 2 == 0 {
        tmem.wait ld
        arrive free@t
        for e in 0..f.cols { f[0, e] *= ld s[t] }
      } else {
        tmem.wait ld
        arrive free@t
      }
      for e in 0..f.cols { st y[t*128 + f.row(0), e] <- f[0, e] }
    }
  }
  role load: warps 1 {
    tma.load b <- w on have@0
    expect have@0
    for t in 0..T {
      wait read@(t - 2)
      tma.load a@t <- x[t*128:+128, :] on full@t
      expect full@t
    }
  }
  role multiply: warps 1 {
    wait have@0
    for t in 0..T {
      wait full@t
      wait free@(t - 1)
      umma acc = a@t * b.T
      umma.commit read@t
      umma.commit done@t
    }
  }
}
