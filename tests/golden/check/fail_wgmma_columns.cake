// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem c: i8[64, 64] swizzle 64
  smem d: i8[40, 64] swizzle 64
  role main: warps 4 {
    var s: wgmma i32[64, 40]
    wgmma s = c * d.T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1404]: 40 columns; one `wgmma` has 8, 16, 24, 32 and from there multiples of 16 up to 256
//   --> fail_wgmma_columns.cake:12:5
//   12 |     wgmma s = c * d.T
//      |     ^^^^^^^^^^^^^^^^^
//   why: PTX ISA, wgmma.mma_async: the shapes that exist
