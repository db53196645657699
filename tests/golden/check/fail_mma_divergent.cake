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
    if lane < 16 { mma acc = fa * fb }
  }
}
//--- expected
// error[CK1110]: `mma` needs every thread of its `warp`; control here is `lane` level
//   --> fail_mma_divergent.cake:14:20
//   14 |     if lane < 16 { mma acc = fa * fb }
//      |                    ^^^^^^^^^^^^^^^^^
//   14 |     if lane < 16 { mma acc = fa * fb }
//      |        --------- this condition is lane level
//   14 |     if lane < 16 { mma acc = fa * fb }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
