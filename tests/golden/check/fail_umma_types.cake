// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  smem sc: f16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = sa * sc.T }
  }
}
//--- expected
// error[CK1449]: `umma` of bf16 and f16 into f32; with bf16 on the left there is bf16*bf16 -> f32
//   --> fail_umma_types.cake:12:20
//   12 |     if warp == 0 { umma acc = sa * sc.T }
//      |                    ^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, tcgen05.mma: the kinds multiply these types
