// Three groups of 240 registers and one of 24 are more than a multiprocessor has.
program p target sm_90a
in x: f32[128]
out y: f32[4, 128]
kernel k {
  grid (1)
  role load: warps 4 regs 24 { st y[0, thread] <- ld x[thread] }
  role math: warps 12 regs 160 { st y[1 + wg, thread % 128] <- ld x[thread % 128] }
}
