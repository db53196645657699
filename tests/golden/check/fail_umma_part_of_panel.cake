// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = sa[:, 0:+24] * sb[:, 0:+24].T }
  }
}
//--- expected
// error[CK1454]: the operand `sa` has 48 bytes a row, which is no multiple of 128
//   --> fail_umma_part_of_panel.cake:11:31
//   11 |     if warp == 0 { umma acc = sa[:, 0:+24] * sb[:, 0:+24].T }
//      |                               ^^^^^^^^^^^^
//    6 |   smem sa: bf16[128, 64] swizzle 128
//      |        -- declared here
//   why: an instruction takes 32 bytes of K, and a row lies in column panels as wide as the swizzle
