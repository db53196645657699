// mode: check
// bind: V=3
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    st y[cta, 0] <- 0.0
  }
}
//--- expected
// error[CK1054]: the program has no param `V`
//   --> fail_unknown_param.cake:3:9
//    3 | program p target sm_90a
//      |         ^
//   why: a binding names the params of the program
