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
    acc[0, 0] = 1.0
    wgmma z = a * b.T
    let s = z[0, 0]
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1412]: `acc` is named while a `wgmma` may still write it
//   --> fail_wgmma_in_flight.cake:13:5
//   13 |     acc[0, 0] = 1.0
//      |     ^^^^^^^^^^^^^^^
//   11 |     wgmma acc = a * b.T
//      |     ------------------- this product
//   why: the tensor cores write the accumulator beside the threads, until `wgmma.wait` returns for the group of the product
//   fix (machine): wait before it: `wgmma.wait 0`
//     13:5: insert `wgmma.wait 0; `
//
// error[CK1412]: `z` is named while a `wgmma` may still write it
//   --> fail_wgmma_in_flight.cake:15:5
//   15 |     let s = z[0, 0]
//      |     ^^^^^^^^^^^^^^^
//   14 |     wgmma z = a * b.T
//      |     ----------------- this product
//   why: the tensor cores write the accumulator beside the threads, until `wgmma.wait` returns for the group of the product
//   fix (machine): wait before it: `wgmma.commit; wgmma.wait 0`
//     15:5: insert `wgmma.commit; wgmma.wait 0; `
