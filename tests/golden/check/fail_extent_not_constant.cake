// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld x[cta, 0:+K]
  }
}
//--- expected
// error[CK1039]: the extent of this slice is no constant
//   --> fail_extent_not_constant.cake:10:16
//   10 |     let a = ld x[cta, 0:+K]
//      |                ^^^^^^^^^^^^
//   why: the width of an access is part of the instruction
