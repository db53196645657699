// Every thread reads, adds and stores the same number.
program p target sm_80
in x: f32[128]
out y: f32[1]
kernel k {
  grid (1)
  smem s: f32[1]
  role main: warps 4 {
    once { st s[0] <- 0.0 }
    sync role
    st s[0] <- (ld s[0]) + (ld x[thread])
    sync role
    once { st y[0] <- ld s[0] }
  }
}
