// The fill writes bytes that an earlier buffer has, while threads still read that.
program p target sm_80
in x: f32[64]
out y: f32[64], w: f32[64]
kernel k {
  grid (1)
  either { smem q: f32[64] } or { smem z: f32[64] }
  role main: warps 2 {
    st q[thread] <- ld x[thread]
    sync role
    st y[thread] <- ld q[63 - thread]
    st z[thread] <- 0.0
    sync role
    st w[thread] <- ld z[63 - thread]
  }
}
