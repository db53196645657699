// The one slot of tensor memory is written anew although nobody has said that it was read.
program p target sm_100a
dim T in 1..=8
in x: f32[128*T, 32]
out y: f32[128*T, 32]
kernel k {
  grid (1)
  tmem t: f32[128, 32]
  event full[1] count 4
  event empty[1] count 4
  role fill: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    for i in 0..T {
      for e in 0..f.cols { f[0, e] = ld x[i*128 + f.row(0), e] }
      wait empty@(i - 1)
      tmem.st t <- f
      tmem.wait st
      arrive full@i
    }
  }
  role read: warps 4 {
    var g: tmem.32x32b f32[128, 32]
    for i in 0..T {
      wait full@i
      tmem.ld g <- t
      tmem.wait ld
      arrive empty@i
      for e in 0..g.cols { st y[i*128 + g.row(0), e] <- g[0, e] }
    }
  }
}
