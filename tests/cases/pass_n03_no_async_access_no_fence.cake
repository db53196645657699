// No asynchronous access touches this memory: barriers suffice.
program p target sm_90
in x: f32[64]
out y: f32[64]
kernel k {
  grid (1)
  smem s: f32[64]
  role main: warps 2 {
    st s[thread] <- ld x[thread]
    sync role
    st y[thread] <- ld s[63 - thread]
  }
}
