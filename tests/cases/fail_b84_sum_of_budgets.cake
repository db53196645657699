// 232, 232 and 96 for three groups are 71,680 registers.
program p target sm_90a
in x: f32[128]
out y: f32[3, 128]
kernel k {
  grid (1)
  role a: warps 4 regs 232 { st y[0, thread] <- ld x[thread] }
  role b: warps 4 regs 232 { st y[1, thread] <- ld x[thread] }
  role c: warps 4 regs 96 { st y[2, thread] <- ld x[thread] }
}
