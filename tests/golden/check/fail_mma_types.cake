// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b f16[16, 8]
    var acc: mma f32[16, 8]
    fa = 0.0
    fb = 0.0
    mma acc = fa * fb
  }
}
//--- expected
// error[CK1191]: `mma` of bf16 and f16 into f32; with bf16 on the left there is bf16*bf16 -> f32
//   --> fail_mma_types.cake:14:5
//   14 |     mma acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^
//   why: the tensor cores multiply these types
