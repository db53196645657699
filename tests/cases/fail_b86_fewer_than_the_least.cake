// 16 registers are fewer than any role can be given.
program p target sm_90a
in x: f32[128]
out y: f32[2, 128]
kernel k {
  grid (1)
  role idle: warps 4 regs 16 { st y[0, thread] <- ld x[thread] }
  role math: warps 4 regs 240 { st y[1, thread] <- ld x[thread] }
}
