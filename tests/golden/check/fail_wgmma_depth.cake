// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a[:, 0:+24] * b[:, 0:+24].T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1405]: a depth of 24; `wgmma` of bf16 takes 16 at a time
//   --> fail_wgmma_depth.cake:10:5
//   10 |     wgmma acc = a[:, 0:+24] * b[:, 0:+24].T
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: each instruction multiplies 32 bytes of K
