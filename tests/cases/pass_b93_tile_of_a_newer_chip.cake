// 106,496 bytes where a multiprocessor has 101,376 for a CTA.
program p target sm_120a
in x: f32[32]
out y: f32[32]
kernel k {
  grid (1)
  smem s: f32[25088]
  role main: warps 1 {
    st s[lane] <- ld x[lane]
    sync warp
    st y[lane] <- ld s[31 - lane]
  }
}
