// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem left: bf16[64, 64]
  tmem small: f32[64, 32]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma small = left * sb.T }
  }
}
//--- expected
// error[CK1457]: the left operand `left` has 64 rows; in tensor memory it has 128
//   --> fail_umma_left_rows.cake:13:33
//   13 |     if warp == 0 { umma small = left * sb.T }
//      |                                 ^^^^
//   why: a left operand in tensor memory takes one lane a row
