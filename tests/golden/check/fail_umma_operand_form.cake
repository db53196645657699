// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  smem flat: bf16[128, 64]
  smem wide: bf16[128, 64] padded 8
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = flat * sb.T; umma acc += wide * sb.T }
  }
}
//--- expected
// error[CK1452]: `flat` is laid out as `rows`, which no matrix descriptor describes
//   --> fail_umma_operand_form.cake:13:31
//   13 |     if warp == 0 { umma acc = flat * sb.T; umma acc += wide * sb.T }
//      |                               ^^^^
//    8 |   smem flat: bf16[128, 64]
//      |        ---- declared here
//   why: PTX ISA, tcgen05 canonical layouts: rows of 16 bytes in the pattern of `swizzle 32`, `64` or `128`
//   fix (manual): declare it `swizzle 128`
//
// error[CK1452]: `wide` is laid out as `padded 8`, which no matrix descriptor describes
//   --> fail_umma_operand_form.cake:13:56
//   13 |     if warp == 0 { umma acc = flat * sb.T; umma acc += wide * sb.T }
//      |                                                        ^^^^
//    9 |   smem wide: bf16[128, 64] padded 8
//      |        ---- declared here
//   why: PTX ISA, tcgen05 canonical layouts: rows of 16 bytes in the pattern of `swizzle 32`, `64` or `128`
//   fix (manual): declare it `swizzle 128`
