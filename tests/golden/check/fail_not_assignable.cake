// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    x[0, 0] = 1.0
    scale = 2.0
  }
}
//--- expected
// error[CK1041]: `x` is no variable
//   --> fail_not_assignable.cake:10:5
//   10 |     x[0, 0] = 1.0
//      |     ^^^^^^^
//    4 | in x: f32[N, K], h: bf16[N, K], idx: i32[N]
//      |    - declared here
//   why: only a `var` is assigned to; memory is written by `st`
//
// error[CK1041]: `scale` is no variable
//   --> fail_not_assignable.cake:11:5
//   11 |     scale = 2.0
//      |     ^^^^^
//    6 | arg scale: f32, n: i32
//      |     ----- declared here
//   why: only a `var` is assigned to; memory is written by `st`
