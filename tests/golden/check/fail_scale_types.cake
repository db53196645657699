// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[1, 32, 16]
  tmem acc: f32[128, 32]
  tmem va: ue4m3[128, 4]
  tmem vb: ue4m3[128, 4]
  event done[1] count 1
  role main: warps 4 {
    if warp == 0 {
      tmem.cp va <- ua
      umma acc = ta * tb.T scale va, vb
      umma.commit done@0
    }
  }
}
//--- expected
// error[CK1479]: `umma` of e2m1x2 and e2m1x2 with a scale of ue4m3 for 32 factors; there is e2m1x2*e2m1x2 by ue8m0 of 32, e2m1x2*e2m1x2 by ue8m0 of 16, e2m1x2*e2m1x2 by ue4...
//   --> fail_scale_types.cake:16:7
//   16 |       umma acc = ta * tb.T scale va, vb
//      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, tcgen05.mma: the kinds mxf8f6f4, mxf4 and mxf4nvf4, into f32 with 128 rows
