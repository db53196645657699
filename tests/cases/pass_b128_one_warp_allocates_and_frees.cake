// One warp allocates 64 columns for what takes 48 of them, and frees them.
program p target sm_100a
in x: f32[128, 48]
out y: f32[128, 48]
kernel k {
  grid (1)
  tmem t: f32[128, 48]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 48]
    for e in 0..f.cols { f[0, e] = ld x[f.row(0), e] }
    tmem.st t <- f
    tmem.wait st
    tmem.ld f <- t
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
