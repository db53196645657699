// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem sf: f32[128, 4]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 { umma acc = sa * sb.T scale sf, sf }
  }
}
//--- expected
// error[CK1476]: `sf` holds f32; here stand scales
//   --> fail_umma_scale.cake:12:47
//   12 |     if warp == 0 { umma acc = sa * sb.T scale sf, sf }
//      |                                               ^^
//   why: ue8m0 or ue4m3 in tensor memory, which `tmem.cp` brings there from the same type in shared memory
