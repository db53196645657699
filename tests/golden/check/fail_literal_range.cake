// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: u8 = 256
    var b: i32 = 4294967296
  }
}
//--- expected
// error[CK1013]: 256 does not fit `u8`
//   --> fail_literal_range.cake:10:17
//   10 |     var a: u8 = 256
//      |                 ^^^
//   why: a literal takes the type that its use asks for
//
// error[CK1013]: 4294967296 does not fit `i32`
//   --> fail_literal_range.cake:11:18
//   11 |     var b: i32 = 4294967296
//      |                  ^^^^^^^^^^
//   why: a literal takes the type that its use asks for
