// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var d: mma f32[64, 64]
    var p: mma.a bf16[64, 64]
    var acc: wgmma f32[64, 64]
    wgmma d = a * b.T
    wgmma acc = p * b.T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1400]: `d` is `mma f32[64, 64]`; the accumulator of `wgmma` is wgmma
//   --> fail_wgmma_form.cake:12:11
//   12 |     wgmma d = a * b.T
//      |           ^
//   why: four warps hold the tile together, a band of 16 rows each
//
// error[CK1400]: `p` is `mma.a bf16[64, 64]`; the left operand of `wgmma` is wgmma.a, or shared memory
//   --> fail_wgmma_form.cake:13:17
//   13 |     wgmma acc = p * b.T
//      |                 ^
//   why: four warps hold the tile together, a band of 16 rows each
