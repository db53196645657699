// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var f: mma.b bf16[12, 8]
    f = 0.0
  }
}
//--- expected
// error[CK1180]: 12 rows of `mma.b bf16`, which is made of 8 at a time
//   --> fail_fragment_columns.cake:9:23
//    9 |     var f: mma.b bf16[12, 8]
//      |                       ^^
//   why: a fragment is whole instruction tiles; what is left over has no registers
