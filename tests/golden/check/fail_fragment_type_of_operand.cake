// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var f: mma.a f32[16, 16]
    f = 0.0
  }
}
//--- expected
// error[CK1181]: `mma.a` has no `f32` elements; it holds f16, bf16, tf32, e4m3, e5m2, i8, u8, i4x2, u4x2, b1x8
//   --> fail_fragment_type_of_operand.cake:9:18
//    9 |     var f: mma.a f32[16, 16]
//      |                  ^^^
//   why: the tensor cores read and write these types in this form
