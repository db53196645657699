// Only a barrier lies between what threads write and the copy that reads it.
program p target sm_90
in x: f32[4, 16, 32]
out y: f32[4, 16, 32]
kernel k {
  grid (4)
  smem tile: f32[16, 32]
  role main: warps 2 {
    for r in warp..16 step 2 { st tile[r, lane] <- ld x[cta, r, lane] }
    sync role
    once { tma.store y[cta, :, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
