// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  smem tall: bf16[136, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = tall[4:+128, :] * sb.T }
  }
}
//--- expected
// error[CK1456]: the operand `tall` begins at 4, which is no multiple of 8
//   --> fail_umma_operand_start.cake:12:31
//   12 |     if warp == 0 { umma acc = tall[4:+128, :] * sb.T }
//      |                               ^^^^^^^^^^^^^^^
//   why: the swizzle's pattern repeats after eight rows, and K goes in steps of 32 bytes
