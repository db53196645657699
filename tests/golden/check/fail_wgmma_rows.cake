// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem c: bf16[64, 64]
  smem d: bf16[64, 64] padded 8
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = c * b.T
    wgmma acc = a * d.T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1407]: `c` is `rows`; operands of `wgmma` are `swizzle 32`, `swizzle 64` or `swizzle 128`
//   --> fail_wgmma_rows.cake:12:17
//   12 |     wgmma acc = c * b.T
//      |                 ^
//    8 |   smem c: bf16[64, 64]
//      |        - declared here
//   why: a matrix descriptor names tiles of 8 rows whose 16-byte pieces lie in a hardware pattern; rows one behind the other are none
//   fix (manual): declare it `swizzle 128`, or 64 or 32 where its rows are shorter
//
// error[CK1407]: `d` is `padded 8`; operands of `wgmma` are `swizzle 32`, `swizzle 64` or `swizzle 128`
//   --> fail_wgmma_rows.cake:13:21
//   13 |     wgmma acc = a * d.T
//      |                     ^^^
//    9 |   smem d: bf16[64, 64] padded 8
//      |        - declared here
//   why: a matrix descriptor names tiles of 8 rows whose 16-byte pieces lie in a hardware pattern; rows one behind the other are none
//   fix (manual): declare it `swizzle 128`, or 64 or 32 where its rows are shorter
