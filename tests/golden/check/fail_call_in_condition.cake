// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: i32) -> i32 { var s = a; s += 1; return s }
    while f(lane) < 4 { }
  }
}
//--- expected
// error[CK1087]: `f` has statements and is called in a condition
//   --> fail_call_in_condition.cake:11:11
//   11 |     while f(lane) < 4 { }
//      |           ^^^^^^^
//   10 |     fn f(a: i32) -> i32 { var s = a; s += 1; return s }
//      |        - defined here
//   why: the statements of a call run before the statement that contains it; this condition is evaluated again, not at all, or by the host
