// The barrier stands in the code of every NP-th warp.
program p target sm_80
param NP in {1, 2} = 2
in x: f32[128]
out y: f32[128]
kernel k {
  grid (1)
  smem s: f32[128]
  role main: warps 4 {
    st s[thread] <- ld x[thread]
    sync role
    if warp % NP == 0 {
      st y[thread] <- ld s[127 - thread]
    } else { st y[thread] <- 0.0 }
  }
}
