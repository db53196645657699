// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
param BIG in {0, 1} = 0
arg scale: f32, n: i32
kernel k {
  grid (N)
  if BIG == 1 { smem wide: f32[1024] }
  role main: warps 4 {
    if BIG == 1 { st wide[thread] <- 0.0 }
    st wide[thread] <- 1.0
  }
}
//--- expected
// error[CK1004]: `wide` does not exist in this member
//   --> fail_dead_name.cake:13:8
//   13 |     st wide[thread] <- 1.0
//      |        ^^^^
//   10 |   if BIG == 1 { smem wide: f32[1024] }
//      |                      ---- declared here
//   why: its declaration stands under a condition that is false for these params
