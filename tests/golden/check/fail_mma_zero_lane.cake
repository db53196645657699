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
    fa = 0.0
    fb = 0.0
    acc = 0.0
    mma acc += fa * fb zero lane == 0
  }
}
//--- expected
// error[CK1111]: `mma` is one operation of a `warp`; this index is `lane` level
//   --> fail_mma_zero_lane.cake:15:29
//   15 |     mma acc += fa * fb zero lane == 0
//      |                             ^^^^^^^^^
//   15 |     mma acc += fa * fb zero lane == 0
//      |                             ---- this is lane level
//   why: threads that execute one operation together name one place
