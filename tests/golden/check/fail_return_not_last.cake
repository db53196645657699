// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: i32) -> i32 { return a; let b = 1 }
    let c = f(1)
  }
}
//--- expected
// error[CK1083]: `return` is not the last statement of its fn
//   --> fail_return_not_last.cake:10:27
//   10 |     fn f(a: i32) -> i32 { return a; let b = 1 }
//      |                           ^^^^^^^^
//   why: calls are inlined and threads never leave early; both branches of a last `if` may return
