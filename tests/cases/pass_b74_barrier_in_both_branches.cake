// Lanes of one warp take different branches, each with a copy of the barrier.
program p target sm_80
in x: f32[64], c: i32[64]
out y: f32[64]
kernel k {
  grid (1)
  smem s: f32[64]
  barrier meet threads 64
  role main: warps 2 {
    if (ld c[thread]) > 0 { st s[thread] <- ld x[thread] }
    else { st s[thread] <- 0.0 }
    bar.sync meet
    st y[thread] <- ld s[63 - thread]
  }
}
