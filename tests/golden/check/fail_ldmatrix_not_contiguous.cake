// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 16, 8]
  role main: warps 1 {
    var f: mma.a bf16[16, 16]
    ldmatrix f <- s[:, :, 0]
  }
}
//--- expected
// error[CK1196]: the last dimension of `s` is not sliced; `ldmatrix` moves rows of 16 B
//   --> fail_ldmatrix_not_contiguous.cake:9:19
//    9 |     ldmatrix f <- s[:, :, 0]
//      |                   ^^^^^^^^^^
//   why: the bytes of a row are neighbours, so the tile must span the contiguous dimension
