// mode: check
program p target sm_90
dim M in 1..=64, N in 16..=64
in x: f32[M, 32], h: bf16[M, 32], big: f32[2, 2, 2, 2, 2, 32], odd: f32[M, 32] stride (32, sx)
out y: f32[M, 32], c: bool[M, 32]
kernel k {
  grid (1)
  smem tile: f32[16, 32] swizzle 128
  smem half: bf16[16, 32]
  smem flags: bool[16, 32]
  role main: warps 1 {
    tma.store y[0:+M, :] <- tile
  }
}
//--- expected
// error[CK1158]: an extent of `y` is no constant
//   --> fail_copy_extent_not_constant.cake:12:15
//   12 |     tma.store y[0:+M, :] <- tile
//      |               ^^^^^^^^^^
//   why: how much one copy moves is fixed when the program is compiled
