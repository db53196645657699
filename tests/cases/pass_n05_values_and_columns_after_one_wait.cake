// One wait stands before the first use of two loads and before the columns are given back.
program p target sm_100a
in x: f32[128, 64]
out y: f32[128, 64]
kernel k {
  grid (1)
  tmem t: f32[128, 64]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    var g: tmem.32x32b f32[128, 32]
    for e in 0..f.cols { f[0, e] = ld x[f.row(0), e]; g[0, e] = ld x[g.row(0), 32 + e] }
    tmem.st t[:, 0:+32] <- f
    tmem.st t[:, 32:+32] <- g
    tmem.wait st
    tmem.ld f <- t[:, 0:+32]
    tmem.ld g <- t[:, 32:+32]
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e]; st y[g.row(0), 32 + e] <- g[0, e] }
    tmem.st t[:, 0:+32] <- g
    tmem.wait st
  }
}
