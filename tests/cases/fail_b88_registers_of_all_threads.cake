// 168 registers for each of 512 threads are more than the file has.
program p target sm_90a
in x: f32[512]
out y: f32[512]
kernel k {
  grid (1)
  role main: warps 16 regs 168 { st y[thread] <- ld x[thread] }
}
