// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = fma(1.0, 2.0)
    let c = min(1, 2, 3)
  }
}
//--- expected
// error[CK1008]: `fma` takes 3 arguments, 2 given
//   --> fail_argument_count_of_function.cake:10:13
//   10 |     let a = fma(1.0, 2.0)
//      |             ^^^^^^^^^^^^^
//   why: the operands of each instruction are a fixed list
//
// error[CK1008]: `min` takes 2 arguments, 3 given
//   --> fail_argument_count_of_function.cake:11:13
//   11 |     let c = min(1, 2, 3)
//      |             ^^^^^^^^^^^^
//   why: the operands of each instruction are a fixed list
