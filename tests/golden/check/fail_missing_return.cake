// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f(a: i32) -> i32 { if a > 0 { return a } }
    let c = f(lane)
  }
}
//--- expected
// error[CK1084]: `f` does not return on every path
//   --> fail_missing_return.cake:10:8
//   10 |     fn f(a: i32) -> i32 { if a > 0 { return a } }
//      |        ^
//   why: a fn with results ends in `return`, or in an `if` whose branches both do
