// Even threads alone reach the barrier.
program p target sm_80
in x: f32[64]
out y: f32[64]
kernel k {
  grid (1)
  smem s: f32[64]
  role main: warps 2 {
    st s[thread] <- ld x[thread]
    sync role
    var a: f32 = 0.0
    if thread % 2 == 0 { a = ld s[thread] }
    sync role
    if thread % 2 == 0 { st s[thread ^ 1] <- a }
    sync role
    st y[thread] <- ld s[thread]
  }
}
