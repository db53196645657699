// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[3, 32, 16]
  tmem acc: f32[128, 32]
  tmem va: ue4m3[128, 8]
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
// error[CK1477]: `va` takes 2 blocks of [32, 16] scales; the source is [3, 32, 16]
//   --> fail_scale_copy_blocks.cake:15:21
//   15 |       tmem.cp va <- ua
//      |                     ^^
//   why: PTX ISA, tcgen05.cp .32x128b: 512 bytes that follow each other in `rows`, byte 16*i + 4*j + s of which is scale s of row 32*j + i
