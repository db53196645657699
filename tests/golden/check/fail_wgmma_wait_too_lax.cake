// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    var z: wgmma f32[64, 64]
    wgmma acc = a * b.T
    wgmma.commit
    wgmma z = a * b.T
    wgmma.commit
    wgmma.wait 1
    let s = acc[0, 0]
    let t = z[0, 0]
    wgmma.wait 0
  }
}
//--- expected
// error[CK1412]: `z` is named while a `wgmma` may still write it
//   --> fail_wgmma_wait_too_lax.cake:17:5
//   17 |     let t = z[0, 0]
//      |     ^^^^^^^^^^^^^^^
//   13 |     wgmma z = a * b.T
//      |     ----------------- this product
//   15 |     wgmma.wait 1
//      |     ------------ may leave 1 groups pending; that of the product is number 1 from the newest
//   why: the tensor cores write the accumulator beside the threads, until `wgmma.wait` returns for the group of the product
//   fix (machine): wait for it: `wgmma.wait 0`
//     15:5: `wgmma.wait 1` -> `wgmma.wait 0`
