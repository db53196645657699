// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = lanes.sum(scale, n)
  }
}
//--- expected
// error[CK1068]: this operand must be an integer constant
//   --> fail_const_operand.cake:10:30
//   10 |     let a = lanes.sum(scale, n)
//      |                              ^
//   why: the instruction encodes it as an immediate
