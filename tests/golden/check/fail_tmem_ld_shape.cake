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
    tmem.ld f <- acc[:, 0:+16]
  }
}
//--- expected
// error[CK1444]: the view is [128, 16], the fragment is [128, 32]
//   --> fail_tmem_ld_shape.cake:11:18
//   11 |     tmem.ld f <- acc[:, 0:+16]
//      |                  ^^^^^^^^^^^^^
//   why: a copy moves as many rows and columns as the fragment has
