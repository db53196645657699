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
    if warp == 0 { umma acc = sa * sb }
  }
}
//--- expected
// error[CK1448]: `umma` of [128, 64] and [32, 64] into [128, 32]
//   --> fail_umma_shapes.cake:11:20
//   11 |     if warp == 0 { umma acc = sa * sb }
//      |                    ^^^^^^^^^^^^^^^^^^
//   why: the left operand is [M, K], the right one [K, N], the accumulator [M, N]
