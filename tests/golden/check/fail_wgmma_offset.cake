// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  smem c: bf16[128, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = c[4:+64, :] * b.T
    wgmma acc = a[:, 8:+16] * b[:, 0:+16].T
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1409]: the operand begins at row 4 of `c`; it must begin at a multiple of 8
//   --> fail_wgmma_offset.cake:11:17
//   11 |     wgmma acc = c[4:+64, :] * b.T
//      |                 ^^^^^^^^^^^
//   why: a matrix descriptor names whole repetitions of the swizzle pattern
//
// error[CK1409]: the operand begins at column 8 of `a`; it must begin at a multiple of 16
//   --> fail_wgmma_offset.cake:12:17
//   12 |     wgmma acc = a[:, 8:+16] * b[:, 0:+16].T
//      |                 ^^^^^^^^^^^
//   why: a matrix descriptor names whole repetitions of the swizzle pattern
