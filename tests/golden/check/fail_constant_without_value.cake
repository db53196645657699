// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
const Z = 0
kernel k {
  grid (N)
  role main: warps 4 {
    let a = 1 / Z
  }
}
//--- expected
// error[CK1018]: `/` of these constants has no value
//   --> fail_constant_without_value.cake:11:13
//   11 |     let a = 1 / Z
//      |             ^^^^^
//   11 |     let a = 1 / Z
//      |             ----- division by zero
//   why: an expression of constants is computed once, before any thread runs, by the same rule as the instruction
