// Two groups ask for more registers; none gives any back.
program p target sm_90a
in x: f32[128]
out y: f32[4, 128]
kernel k {
  grid (1)
  role load: warps 4 regs 80 { st y[0, thread] <- ld x[thread] }
  role math: warps 8 regs 168 { st y[1 + wg, thread % 128] <- ld x[thread % 128] }
  role store: warps 4 regs 88 { st y[3, thread] <- ld x[thread] }
}
