// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a[:, 0:+32] * b.T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1402]: `wgmma` of [64, 32] and [64, 64] into [64, 64]
//   --> fail_wgmma_shapes.cake:10:5
//   10 |     wgmma acc = a[:, 0:+32] * b.T
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: the left operand is [M, K], the right one [K, N], the accumulator [M, N]; a buffer of [N, K] is the right operand as `.T`
