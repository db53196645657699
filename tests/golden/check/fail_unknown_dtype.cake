// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: flt32 = 1.0
    var b: bf61 = 1.0
  }
}
//--- expected
// error[CK1016]: unknown data type `flt32`
//   --> fail_unknown_dtype.cake:10:12
//   10 |     var a: flt32 = 1.0
//      |            ^^^^^
//   why: the data types are a closed list
//   fix (maybe): use `f32`
//     10:12: `flt32` -> `f32`
//
// error[CK1016]: unknown data type `bf61`
//   --> fail_unknown_dtype.cake:11:12
//   11 |     var b: bf61 = 1.0
//      |            ^^^^
//   why: the data types are a closed list
//   fix (maybe): use `bf16`
//     11:12: `bf61` -> `bf16`
