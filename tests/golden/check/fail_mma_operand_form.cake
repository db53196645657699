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
    var acc: mma f32[16, 8]
    fb = 0.0
    mma acc = fb * fb
  }
}
//--- expected
// error[CK1189]: `fb` is `mma.b bf16[16, 8]`; the left operand of `mma` is mma.a
//   --> fail_mma_operand_form.cake:13:15
//   13 |     mma acc = fb * fb
//      |               ^^
//   why: each operand lies in the registers as its side of the instruction reads it
