// y = 2x by stores of engines from a buffer that threads fill, one group at a time.
program store_groups target sm_90
dim M in 1..=4, T in 1..=12
param STAGES in {1, 2, 3, 4, 5, 6} = 2
param ROWS in {8, 16, 32, 64} = 8
param WARPS in {1, 2, 4, 8} = 2
in x: f32[M*ROWS, T*32]
out y: f32[M*ROWS, T*32]
kernel run {
  grid (M)
  smem tile[STAGES]: f32[ROWS, 32] swizzle 128
  role main: warps WARPS {
    for t in 0..T {
      for r in warp..ROWS step WARPS { st tile@t[r, lane] <- 2.0 * (ld x[cta*ROWS + r, t*32 + lane]) }
      fence async; sync role
      once { tma.store y[cta*ROWS:+ROWS, t*32:+32] <- tile@t; tma.commit; tma.wait.read 0 }
      sync role
    }
  }
}
