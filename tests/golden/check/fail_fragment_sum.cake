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
    var g: mma f32[16, 8]
    acc = 0.0
    g = 0.0
    acc = acc + g
  }
}
//--- expected
// error[CK1049]: `+` of the register array `mma f32[16, 8]`
//   --> fail_fragment_sum.cake:15:11
//   15 |     acc = acc + g
//      |           ^^^
//   why: whole arrays are set, copied, converted, loaded and stored; everything else is a loop over elements
