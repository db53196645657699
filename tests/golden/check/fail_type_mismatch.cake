// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32 = 0.0
    a = lane
    var b: i32 = 1.5
  }
}
//--- expected
// error[CK1010]: `f32` expected, `i32` found
//   --> fail_type_mismatch.cake:11:9
//   11 |     a = lane
//      |         ^^^^
//   why: only i32 becomes i64 by itself; every other conversion is written as `cvt`
//   fix (maybe): convert it
//     11:9: insert `cvt.f32(`
//     11:13: insert `)`
//
// error[CK1010]: `i32` expected, `f32` found
//   --> fail_type_mismatch.cake:12:18
//   12 |     var b: i32 = 1.5
//      |                  ^^^
//   why: only i32 becomes i64 by itself; every other conversion is written as `cvt`
