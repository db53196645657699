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
    bar.sync b[lane % 2]
  }
}
//--- expected
// error[CK1111]: `bar.sync` is one operation of a `warp`; this index is `lane` level
//   --> fail_divergent_index.cake:11:16
//   11 |     bar.sync b[lane % 2]
//      |                ^^^^^^^^
//   11 |     bar.sync b[lane % 2]
//      |                ---- this is lane level
//   why: threads that execute one operation together name one place
