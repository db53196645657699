// The address of the columns is stored before the barrier that all warps begin behind.
program p target sm_100a
in x: f32[128, 32]
out y: f32[128, 32]
kernel k {
  grid (1)
  tmem t: f32[128, 32]
  event full[1] count 4
  role fill: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    for e in 0..f.cols { f[0, e] = ld x[f.row(0), e] }
    tmem.st t <- f
    tmem.wait st
    arrive full@0
  }
  role read: warps 4 {
    var g: tmem.32x32b f32[128, 32]
    wait full@0
    tmem.ld g <- t
    tmem.wait ld
    for e in 0..g.cols { st y[g.row(0), e] <- g[0, e] }
  }
}
