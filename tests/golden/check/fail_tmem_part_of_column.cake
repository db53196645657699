// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem odd: bf16[128, 3]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    f = 0.0
  }
}
//--- expected
// error[CK1441]: a row of `odd` begins or ends at bit 48, which is no multiple of 32
//   --> fail_tmem_part_of_column.cake:8:8
//    8 |   tmem odd: bf16[128, 3]
//      |        ^^^
//   why: PTX ISA, tensor memory addressing: a column is 32 bits
