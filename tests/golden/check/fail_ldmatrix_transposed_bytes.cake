// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: i8[32, 16]
  role main: warps 1 {
    var f: mma.a i8[16, 32]
    ldmatrix f <- s.T
  }
}
//--- expected
// error[CK1197]: `ldmatrix` transposes elements of 16 bits; `i8` has 8
//   --> fail_ldmatrix_transposed_bytes.cake:9:19
//    9 |     ldmatrix f <- s.T
//      |                   ^^^
//   why: store the buffer with its rows along the other dimension, or load element by element
