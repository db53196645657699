// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem c: e4m3[64, 128] swizzle 128
  smem d: e4m3[128, 64] swizzle 64
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = c * d
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1408]: K is not the contiguous dimension of `d`, whose elements are e4m3
//   --> fail_wgmma_transposed_words.cake:12:21
//   12 |     wgmma acc = c * d
//      |                     ^
//   why: PTX ISA, wgmma.mma_async: only operands of 16-bit types can be transposed
//   fix (manual): store the buffer as [N, K] and multiply by its `.T`
