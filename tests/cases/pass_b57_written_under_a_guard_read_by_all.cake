// 32 threads write, all 128 read.
program p target sm_80
out y: i32[128]
kernel k {
  grid (1)
  smem a: i32[32]
  role main: warps 4 {
    if thread < 32 { st a[thread] <- thread }
    sync role
    st y[thread] <- ld a[thread % 32]
  }
}
