// All warps copy the staged rows out; nothing holds them until the rows are written.
program p target sm_80
in x: f32[128, 4]
out y: f32[512]
kernel k {
  grid (1)
  smem o: f32[128, 4]
  role main: warps 4 {
    st o[thread, :] <- ld x[thread, :]
    for i in 0..4 { st y[i*128 + thread] <- ld o[i*32 + thread/4, thread%4] }
  }
}
