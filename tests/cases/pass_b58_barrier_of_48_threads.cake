// 48 threads exchange values; a barrier counts whole warps.
program p target sm_80
in x: f32[48]
out y: f32[48]
kernel k {
  grid (1)
  smem s: f32[48]
  role main: warps 2 {
    if thread < 48 { st s[thread] <- ld x[thread] }
    sync role
    if thread < 48 { st y[thread] <- ld s[47 - thread] }
  }
}
