// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem h: f16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a * h.T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1403]: `wgmma` of bf16 and f16 into f32; with bf16 on the left there is bf16*bf16 -> f32
//   --> fail_wgmma_types.cake:11:5
//   11 |     wgmma acc = a * h.T
//      |     ^^^^^^^^^^^^^^^^^^^
//   why: the tensor cores multiply these types
