// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    wgmma acc = a * b.T
    wgmma.commit
  }
}
//--- expected
// error[CK1415]: the role ends while the `wgmma` into `acc` may still run
//   --> fail_wgmma_never_waited.cake:10:5
//   10 |     wgmma acc = a * b.T
//      |     ^^^^^^^^^^^^^^^^^^^
//   why: the registers and the shared memory of a CTA that has ended belong to the next one
//   fix (manual): end the role with `wgmma.wait 0`
