// Two pairs of warps meet for different reasons on one named barrier.
program p target sm_80
in x: f32[128]
out y: f32[64], z: f32[64]
kernel k {
  grid (1)
  smem a: f32[64]
  smem b: f32[64]
  barrier first threads 64
  barrier second threads 64
  role main: warps 4 {
    if warp < 2 {
      st a[thread] <- ld x[thread]
      bar.sync first
      st y[thread] <- ld a[63 - thread]
    } else {
      st b[thread - 64] <- ld x[thread]
      bar.sync first
      st z[thread - 64] <- ld b[127 - thread]
    }
  }
}
