// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[4, 32, 16]
  tmem acc: f32[128, 32]
  tmem va: ue4m3[256, 8]
  tmem vb: ue4m3[128, 8]
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
// error[CK1478]: `va` is [256, 8]; 128 rows of the operand need scales of 128 rows, one or two for every 32 factors
//   --> fail_scale_rows.cake:16:34
//   16 |       umma acc = ta * tb.T scale va, vb
//      |                                  ^^
//   why: each scale is for 16 or 32 factors of one row; rows of scales come by 128
