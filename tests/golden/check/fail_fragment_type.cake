// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var acc: mma bf16[16, 8]
    acc = 0.0
  }
}
//--- expected
// error[CK1181]: `mma` has no `bf16` elements; it holds f32, f16, i32
//   --> fail_fragment_type.cake:9:18
//    9 |     var acc: mma bf16[16, 8]
//      |                  ^^^^
//   why: the tensor cores read and write these types in this form
