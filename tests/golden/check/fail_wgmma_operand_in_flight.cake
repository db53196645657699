// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    var p: wgmma.a bf16[64, 64]
    p = 0.0
    wgmma acc = p * b.T
    wgmma.commit
    p = 1.0
    wgmma.wait 0
  }
}
//--- expected
// error[CK1413]: `p` is named while a `wgmma` may still read it
//   --> fail_wgmma_operand_in_flight.cake:14:5
//   14 |     p = 1.0
//      |     ^^^^^^^
//   12 |     wgmma acc = p * b.T
//      |     ------------------- this product
//   why: the tensor cores read the registers of the left operand beside the threads, until `wgmma.wait` returns for the group of the product
//   fix (machine): wait before it: `wgmma.wait 0`
//     14:5: insert `wgmma.wait 0; `
