// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32 = 1
    let b = scale * 2
  }
}
//--- expected
// error[CK1014]: an integer literal where `f32` is expected
//   --> fail_integer_for_float.cake:10:18
//   10 |     var a: f32 = 1
//      |                  ^
//   why: floating literals are written with a point, so that the type of a number can be seen
//   fix (machine): write the number with a point
//     10:19: insert `.0`
//
// error[CK1014]: an integer literal where `f32` is expected
//   --> fail_integer_for_float.cake:11:21
//   11 |     let b = scale * 2
//      |                     ^
//   why: floating literals are written with a point, so that the type of a number can be seen
//   fix (machine): write the number with a point
//     11:22: insert `.0`
