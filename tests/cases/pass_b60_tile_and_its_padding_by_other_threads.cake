// The padding is written over a part of the tile by threads that did not copy it.
program p target sm_80
in x: f32[64]
out y: f32[64]
kernel k {
  grid (1)
  smem s: f32[64]
  role main: warps 2 {
    st s[thread] <- ld x[thread]
    sync role
    if thread < 16 { st s[48 + thread] <- 0.0 }
    sync role
    st y[thread] <- ld s[63 - thread]
  }
}
