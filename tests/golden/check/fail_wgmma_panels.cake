// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem v: bf16[64, 128] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a * v[:, 32:+64]
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1410]: columns 32 to 96 of `v` cross panels of 64
//   --> fail_wgmma_panels.cake:11:21
//   11 |     wgmma acc = a * v[:, 32:+64]
//      |                     ^^^^^^^^^^^^
//   why: a tile begins at a panel of the swizzle or lies inside of one
