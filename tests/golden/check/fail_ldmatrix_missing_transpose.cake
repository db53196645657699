// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var f: mma.b bf16[32, 16]
    ldmatrix f <- s
  }
}
//--- expected
// error[CK1194]: the view is [16, 32], the fragment is [32, 16]
//   --> fail_ldmatrix_missing_transpose.cake:10:19
//   10 |     ldmatrix f <- s
//      |                   ^
//   why: a tile has two sliced dimensions, as many rows and columns as the fragment; `.T` exchanges them
