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
    stmatrix s[:, 0:+16] <- 1.0
  }
}
//--- expected
// error[CK1186]: `f32` is no fragment; `stmatrix` works on registers
//   --> fail_stmatrix_value.cake:12:29
//   12 |     stmatrix s[:, 0:+16] <- 1.0
//      |                             ^^^
//   why: shared memory comes to the registers by `ldmatrix`, or by loads of elements
