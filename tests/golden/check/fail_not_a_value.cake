// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  barrier b threads 128
  role main: warps 4 {
    let a = b + 1
  }
}
//--- expected
// error[CK1005]: `b` is no value here
//   --> fail_not_a_value.cake:11:13
//   11 |     let a = b + 1
//      |             ^
//   why: an expression is made of numbers; barriers, events and functions have their own statements
