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
    let b = lane
    f(b)
    f(3)
  }
}
//--- expected
// error[CK1047]: `a` needs the name of a variable
//   --> fail_inout_argument.cake:12:7
//   12 |     f(b)
//      |       ^
//   11 |     let b = lane
//      |         - declared here
//   why: an `inout` parameter is another name of the caller's `var`
//
// error[CK1047]: `a` needs the name of a variable
//   --> fail_inout_argument.cake:13:7
//   13 |     f(3)
//      |       ^
//   why: an `inout` parameter is another name of the caller's `var`
