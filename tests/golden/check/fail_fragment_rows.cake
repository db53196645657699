// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var acc: mma f32[4, 8]
    acc = 0.0
  }
}
//--- expected
// error[CK1180]: 4 rows of `mma f32`, which is made of 8 at a time
//   --> fail_fragment_rows.cake:9:22
//    9 |     var acc: mma f32[4, 8]
//      |                      ^
//   why: a fragment is whole instruction tiles; what is left over has no registers
