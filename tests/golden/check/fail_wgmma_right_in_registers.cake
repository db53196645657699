// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var p: wgmma.a bf16[64, 64]
    var acc: wgmma f32[64, 64]
    p = 0.0
    wgmma acc = a * p
    wgmma.commit
    wgmma.wait 0
  }
}
//--- expected
// error[CK1401]: `p` lies in registers
//   --> fail_wgmma_right_in_registers.cake:12:21
//   12 |     wgmma acc = a * p
//      |                     ^
//   why: PTX ISA, wgmma.mma_async: the right operand is read from shared memory; only the left one may lie in registers
