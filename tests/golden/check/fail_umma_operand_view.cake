// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  smem cube: bf16[128, 2, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = cube[:, 0, :] * sb.T }
  }
}
//--- expected
// error[CK1455]: `cube` is not sliced in its last two dimensions and no other
//   --> fail_umma_operand_view.cake:12:31
//   12 |     if warp == 0 { umma acc = cube[:, 0, :] * sb.T }
//      |                               ^^^^^^^^^^^^^
//   why: an operand is a tile of rows and columns, and the rows of memory are contiguous
