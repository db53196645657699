// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem left: bf16[128, 64]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    tmem.ld f <- left[:, 0:+32]
  }
}
//--- expected
// error[CK1445]: `left` holds bf16, the fragment f32
//   --> fail_tmem_ld_type.cake:12:18
//   12 |     tmem.ld f <- left[:, 0:+32]
//      |                  ^^^^^^^^^^^^^^
//   why: the instruction moves bits; a conversion is written as `cvt`
