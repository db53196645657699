// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: const i32) -> i32 { return a }
    let b = f(lane)
  }
}
//--- expected
// error[CK1088]: `a` needs a constant
//   --> fail_const_argument.cake:11:15
//   11 |     let b = f(lane)
//      |               ^^^^
//   why: a `const` parameter splits the code that is inlined
