// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[2, 32, 16]
  tmem acc: f32[128, 32]
  tmem va: ue4m3[128, 8]
  tmem vb: ue4m3[128, 8]
  event done[1] count 1
  role main: warps 4 {
    if warp == 0 {
      tmem.cp acc <- ua
      umma acc = ta * tb.T scale va, vb
      umma.commit done@0
    }
  }
}
//--- expected
// error[CK1476]: `acc` holds f32; here stand scales
//   --> fail_scale_copy_type.cake:15:15
//   15 |       tmem.cp acc <- ua
//      |               ^^^
//   why: ue8m0 or ue4m3 in tensor memory, which `tmem.cp` brings there from the same type in shared memory
