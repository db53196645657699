// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  grid (K)
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK1093]: a second grid
//   --> fail_second_grid.cake:9:3
//    9 |   grid (K)
//      |   ^^^^^^^^
//   why: a kernel is launched once
