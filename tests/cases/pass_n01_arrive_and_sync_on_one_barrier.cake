// 128 threads arrive and 128 others wait: the barrier counts both.
program p target sm_80
in x: f32[128]
out y: f32[128]
kernel k {
  grid (1)
  smem s: f32[128]
  barrier written threads 256
  role fill: warps 4 { st s[thread] <- ld x[thread]; bar.arrive written }
  role read: warps 4 { bar.sync written; st y[thread] <- ld s[127 - thread] }
}
