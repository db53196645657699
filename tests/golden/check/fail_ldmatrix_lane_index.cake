// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var f: mma.a bf16[16, 16]
    ldmatrix f <- s[:, lane:+16]
  }
}
//--- expected
// error[CK1111]: `ldmatrix` is one operation of a `warp`; this index is `lane` level
//   --> fail_ldmatrix_lane_index.cake:10:24
//   10 |     ldmatrix f <- s[:, lane:+16]
//      |                        ^^^^
//   why: threads that execute one operation together name one place
