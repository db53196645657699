// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[2, 32, 16]
  tmem acc: f32[128, 32]
  tmem va: ue4m3[128, 6]
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
// error[CK1475]: `va` holds scales and is [128, 6]; scales have 128 or 256 rows and a multiple of 4 columns
//   --> fail_scale_buffer.cake:10:8
//   10 |   tmem va: ue4m3[128, 6]
//      |        ^^
//   why: PTX ISA, tcgen05 block scaling: a word of four scales along K, of 128 rows in four columns of 32 lanes
