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
    cp.async tile[0, 0:+2] <- x[0, 0:+4]
    tma.store y[0:+8, :] <- tile
  }
}
//--- expected
// error[CK1152]: `x` covers [4] and `tile` covers [2]
//   --> fail_copy_shapes.cake:12:31
//   12 |     cp.async tile[0, 0:+2] <- x[0, 0:+4]
//      |                               ^^^^^^^^^^
//   why: both sides of a copy have the same extents, dimensions with a single index left out
//
// error[CK1152]: `tile` covers [16, 32] and `y` covers [8, 32]
//   --> fail_copy_shapes.cake:13:29
//   13 |     tma.store y[0:+8, :] <- tile
//      |                             ^^^^
//   why: both sides of a copy have the same extents, dimensions with a single index left out
