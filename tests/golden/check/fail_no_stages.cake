// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  smem s: f32[64]
  role main: warps 4 {
    st s@1[lane] <- 0.0
  }
}
//--- expected
// error[CK1035]: `s` has no stages
//   --> fail_no_stages.cake:11:9
//   11 |     st s@1[lane] <- 0.0
//      |         ^^
//   why: only `X[n]` declares stages
