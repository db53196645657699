// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem odd: f32[96, 32]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    f = 0.0
  }
}
//--- expected
// error[CK1440]: `odd` is [96, 32]; a buffer of tensor memory has 64 or 128 rows, and columns
//   --> fail_tmem_shape.cake:8:8
//    8 |   tmem odd: f32[96, 32]
//      |        ^^^
//   why: PTX ISA, tensor memory: 128 lanes, of which a product of 64 rows uses half
