// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle -1
  smem b: bf16[64, 64] swizzle 1
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a * b.T
    wgmma acc = b * a
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1098]: a swizzle of -1 bytes; 32, 64 and 128 exist
//   --> fail_wgmma_no_such_swizzle.cake:6:24
//    6 |   smem a: bf16[64, 64] swizzle -1
//      |                        ^^^^^^^^^^
//   why: the hardware's shared-memory swizzles have these periods
//
// error[CK1098]: a swizzle of 1 bytes; 32, 64 and 128 exist
//   --> fail_wgmma_no_such_swizzle.cake:7:24
//    7 |   smem b: bf16[64, 64] swizzle 1
//      |                        ^^^^^^^^^
//   why: the hardware's shared-memory swizzles have these periods
