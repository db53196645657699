// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem left: bf16[64, 64]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = sa * left }
  }
}
//--- expected
// error[CK1451]: `left` is in tensor memory; the right operand of `umma` is not
//   --> fail_umma_operand_space.cake:12:36
//   12 |     if warp == 0 { umma acc = sa * left }
//      |                                    ^^^^
//   why: the left operand is in shared or tensor memory, the right one in shared memory
