// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: i32) -> i32 { return f(a - 1) }
    let b = f(3)
  }
}
//--- expected
// error[CK1009]: `f` calls itself
//   --> fail_recursion.cake:10:34
//   10 |     fn f(a: i32) -> i32 { return f(a - 1) }
//      |                                  ^
//   10 |     fn f(a: i32) -> i32 { return f(a - 1) }
//      |        - defined here
//   why: each call is inlined, so a fn cannot call itself
