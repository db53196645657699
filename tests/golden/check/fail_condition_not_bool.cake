// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    if lane { }
    while 1 { }
  }
}
//--- expected
// error[CK1050]: the condition is `i32`
//   --> fail_condition_not_bool.cake:10:8
//   10 |     if lane { }
//      |        ^^^^
//   why: a number is no condition
//
// error[CK1050]: the condition is `i32`
//   --> fail_condition_not_bool.cake:11:11
//   11 |     while 1 { }
//      |           ^
//   why: a number is no condition
