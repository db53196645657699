// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f16[16, 8]
    fa = 0.0
    fb = 0.0
    mma acc = fa * fb
  }
}
//--- expected
// error[CK1191]: `mma` of bf16 and bf16 into f16; with bf16 on the left there is bf16*bf16 -> f32
//   --> fail_mma_accumulator_type.cake:14:5
//   14 |     mma acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^
//   why: the tensor cores multiply these types
