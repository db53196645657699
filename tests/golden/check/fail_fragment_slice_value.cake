// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var acc: mma f32[16, 16]
    var g: mma f32[16, 8]
    acc = 0.0
    g = acc[:, 0:+8]
  }
}
//--- expected
// error[CK1184]: a slice of the fragment `mma f32[16, 16]` is no value here
//   --> fail_fragment_slice_value.cake:12:13
//   12 |     g = acc[:, 0:+8]
//      |             ^
//   why: slices are operands of products and matrix copies; elements are named one at a time
