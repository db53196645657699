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
    var g: mma f32[16, 8]
    g = 0.0
    tmem.st acc <- g
  }
}
//--- expected
// error[CK1447]: `tmem.st` cannot move `mma f32[16, 8]`
//   --> fail_tmem_st_form.cake:13:20
//   13 |     tmem.st acc <- g
//      |                    ^
//   why: it moves fragments `tmem.32x32b`, `tmem.16x64b`, `tmem.16x128b` and `tmem.16x256b`, over four warps
