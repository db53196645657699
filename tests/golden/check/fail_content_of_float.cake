// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
where x in 0..4
kernel k {
  grid (N)
  role main: warps 4 {
    st y[cta, 0] <- 0.0
  }
}
//--- expected
// error[CK1063]: a contract on `x`, which holds no integers
//   --> fail_content_of_float.cake:7:7
//    7 | where x in 0..4
//      |       ^^^^^^^^^
//   why: contracts say which indices, lengths and ids a tensor may hold
