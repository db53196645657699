// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  barrier b[2] threads 128
  role main: warps 4 {
    bar.sync b
  }
}
//--- expected
// error[CK1073]: `b` is named without saying which one
//   --> fail_barrier_index.cake:11:14
//   11 |     bar.sync b
//      |              ^
//   why: `barrier B[n]` declares n barriers; `B[i]` is one of them
