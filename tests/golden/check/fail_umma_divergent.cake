// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if lane < 4 { umma acc = sa * sb.T }
    f = 0.0
  }
}
//--- expected
// error[CK1110]: `umma` needs every thread of its `warp`; control here is `lane` level
//   --> fail_umma_divergent.cake:11:19
//   11 |     if lane < 4 { umma acc = sa * sb.T }
//      |                   ^^^^^^^^^^^^^^^^^^^^
//   11 |     if lane < 4 { umma acc = sa * sb.T }
//      |        -------- this condition is lane level
//   11 |     if lane < 4 { umma acc = sa * sb.T }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
