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
    if warp == 0 { umma f = sa * sb.T }
  }
}
//--- expected
// error[CK1443]: `f` is not tensor memory, which `umma` names here
//   --> fail_umma_into_fragment.cake:11:25
//   11 |     if warp == 0 { umma f = sa * sb.T }
//      |                         ^
//   why: a `tmem` of the kernel, or some of its columns
