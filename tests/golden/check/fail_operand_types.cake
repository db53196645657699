// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = scale + lane
    let b = scale < n
  }
}
//--- expected
// error[CK1011]: `+` of `f32` and `i32`
//   --> fail_operand_types.cake:10:13
//   10 |     let a = scale + lane
//      |             ^^^^^^^^^^^^
//   why: both sides have one type; only i32 becomes i64 by itself
//
// error[CK1011]: `<` of `f32` and `i32`
//   --> fail_operand_types.cake:11:13
//   11 |     let b = scale < n
//      |             ^^^^^^^^^
//   why: both sides have one type; only i32 becomes i64 by itself
