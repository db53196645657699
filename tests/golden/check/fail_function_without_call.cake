// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = f + 1
  }
}
//--- expected
// error[CK1091]: `f` is a function
//   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |             ^
//   why: its name is followed by its arguments and nothing else
