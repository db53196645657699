// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 32]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    fa = 0.0
    fb = 0.0
    mma acc = fa * fb
  }
}
//--- expected
// error[CK1190]: `mma` of [16, 32] and [16, 8] into [16, 8]
//   --> fail_mma_shapes.cake:14:5
//   14 |     mma acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^
//   why: the left operand is [M, K], the right one [K, N], the accumulator [M, N]
