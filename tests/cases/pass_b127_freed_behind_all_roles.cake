// Columns are freed when all warps of the CTA are done.
program p target sm_100a
in x: f32[128, 32]
out y: f32[128, 32], z: f32[128, 32]
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
  role other: warps 4 {
    var h: tmem.32x32b f32[128, 32]
    wait full@0
    tmem.ld h <- t
    tmem.wait ld
    for e in 0..h.cols { st z[h.row(0), e] <- h[0, e] }
  }
}
