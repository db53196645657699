// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var v: f32[4] = 0.0
    var acc: wgmma f32[64, 64]
    wgmma acc = y * b.T
    wgmma acc = a * v
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1406]: `y` is not shared memory
//   --> fail_wgmma_not_shared.cake:11:17
//   11 |     wgmma acc = y * b.T
//      |                 ^
//   why: the tensor cores read operands of `wgmma` from shared memory or, the left one, from a `wgmma.a` fragment
//
// error[CK1406]: `v` is not shared memory
//   --> fail_wgmma_not_shared.cake:12:21
//   12 |     wgmma acc = a * v
//      |                     ^
//   why: the tensor cores read operands of `wgmma` from shared memory or, the left one, from a `wgmma.a` fragment
