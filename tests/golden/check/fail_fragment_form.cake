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
    acc = 0.0
    fb = cvt.bf16(acc)
  }
}
//--- expected
// error[CK1183]: `mma.b bf16[16, 8]` expected, `mma.a bf16[16, 8]` found
//   --> fail_fragment_form.cake:13:10
//   13 |     fb = cvt.bf16(acc)
//      |          ^^^^^^^^^^^^^
//   why: the threads hold other elements in this form or shape; only shared memory moves them, or a conversion between forms that agree
