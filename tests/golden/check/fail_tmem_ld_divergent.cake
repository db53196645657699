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
    if lane < 4 { tmem.ld f <- acc }
  }
}
//--- expected
// error[CK1110]: `tmem.ld` needs every thread of its `warp`; control here is `lane` level
//   --> fail_tmem_ld_divergent.cake:11:19
//   11 |     if lane < 4 { tmem.ld f <- acc }
//      |                   ^^^^^^^^^^^^^^^^
//   11 |     if lane < 4 { tmem.ld f <- acc }
//      |        -------- this condition is lane level
//   11 |     if lane < 4 { tmem.ld f <- acc }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
