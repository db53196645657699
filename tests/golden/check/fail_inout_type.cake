// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: inout i32) { a = 1 }
    var b: f32 = 0.0
    f(b)
  }
}
//--- expected
// error[CK1089]: `a` is `i32`, the variable is `f32`
//   --> fail_inout_type.cake:12:7
//   12 |     f(b)
//      |       ^
//   why: an `inout` parameter has exactly the type of its variable
