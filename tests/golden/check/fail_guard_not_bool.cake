// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
where N % 4
kernel k {
  grid (N)
  role main: warps 4 {
    st y[cta, 0] <- 0.0
  }
}
//--- expected
// error[CK1064]: this condition is neither true nor false
//   --> fail_guard_not_bool.cake:7:7
//    7 | where N % 4
//      |       ^^^^^
//   why: `where` lists conditions: `N % 8 == 0`, `scale in 1..=4`
