// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: i32) -> i32 { return a }
    let b = f(1, 2)
  }
}
//--- expected
// error[CK1080]: `f` takes 1 arguments, 2 given
//   --> fail_argument_count.cake:11:13
//   11 |     let b = f(1, 2)
//      |             ^^^^^^^
//   10 |     fn f(a: i32) -> i32 { return a }
//      |        - defined here
//   why: a call gives each parameter a value
