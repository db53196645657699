// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  smem sc: bf16[8, 64] swizzle 128
  tmem narrow: f32[128, 8]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma narrow = sa * sc.T }
  }
}
//--- expected
// error[CK1450]: `umma` of 8 columns with 128 rows; columns come in steps of 16
//   --> fail_umma_columns.cake:13:20
//   13 |     if warp == 0 { umma narrow = sa * sc.T }
//      |                    ^^^^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, tcgen05 matrix shape: N of an instruction
