// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32[lane] = 0.0
  }
}
//--- expected
// error[CK1017]: this must be a constant
//   --> fail_constant_needed.cake:10:16
//   10 |     var a: f32[lane] = 0.0
//      |                ^^^^
//   why: sizes, counts and types are known before any thread runs: literals, `const`, `param` and arithmetic of them
