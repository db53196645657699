// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem v: bf16[64, 4, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a * v[:, 1, :].T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1411]: `v` is no tile here: its last two dimensions must be slices of constant extents
//   --> fail_wgmma_no_tile.cake:11:21
//   11 |     wgmma acc = a * v[:, 1, :].T
//      |                     ^^^^^^^^^^^^
//   why: a matrix descriptor names rows that follow each other
