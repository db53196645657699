// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  smem ta: tf32[128, 32] swizzle 128
  smem tb: tf32[32, 32] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = ta * tb }
  }
}
//--- expected
// error[CK1453]: the rows of `tb` run along the product's side and its elements are tf32
//   --> fail_umma_transposed_words.cake:13:36
//   13 |     if warp == 0 { umma acc = ta * tb }
//      |                                    ^^
//   why: PTX ISA, tcgen05: operands whose rows do not run along K have 8 or 16 bits
