// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK1092]: kernel `k` has no grid
//   --> fail_no_grid.cake:7:8
//    7 | kernel k {
//      |        ^
//   why: the number of CTAs is part of the kernel
