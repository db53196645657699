// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  smem s[2]: f32[64]
  role main: warps 4 {
    st s[lane] <- 0.0
  }
}
//--- expected
// error[CK1034]: `s` has stages and no `@` says which
//   --> fail_stage_missing.cake:11:8
//   11 |     st s[lane] <- 0.0
//      |        ^^^^^^^
//   why: a staged buffer is several of one shape; `@k` names stage k modulo their number
