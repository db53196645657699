// The fence comes after the copy that it shall protect.
program p target sm_90
in x: f32[16, 32]
out y: f32[16, 32]
kernel k {
  grid (1)
  smem tile: f32[16, 32]
  role main: warps 2 {
    for r in warp..16 step 2 { st tile[r, lane] <- ld x[r, lane] }
    fence async
    sync role
    once { tma.store y <- tile; tma.commit; tma.wait.read 0 }
  }
}
