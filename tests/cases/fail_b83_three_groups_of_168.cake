// 384 threads begin with 168 registers each: 56 and twice 232 are more than three times 168.
program p target sm_90a
in x: f32[128]
out y: f32[3, 128]
kernel k {
  grid (1)
  role load: warps 4 regs 56 { st y[0, thread] <- ld x[thread] }
  role math: warps 8 regs 232 { st y[1 + wg, thread % 128] <- ld x[thread % 128] }
}
