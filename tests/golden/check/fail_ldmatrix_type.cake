// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var f: mma.a f16[16, 16]
    ldmatrix f <- s[:, 0:+16]
  }
}
//--- expected
// error[CK1195]: `s` holds bf16, the fragment f16
//   --> fail_ldmatrix_type.cake:10:19
//   10 |     ldmatrix f <- s[:, 0:+16]
//      |                   ^^^^^^^^^^^
//   why: the instruction moves bits; a conversion is written as `cvt`
