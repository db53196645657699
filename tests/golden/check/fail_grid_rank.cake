// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N, K, 1, 1)
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK1094]: a grid of 4 dimensions; 1 to 3 are possible
//   --> fail_grid_rank.cake:8:3
//    8 |   grid (N, K, 1, 1)
//      |   ^^^^^^^^^^^^^^^^^
//   why: CTAs are numbered by x, y and z
