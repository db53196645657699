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
    if warp == 0 { umma.2cta acc = sa * sb.T }
  }
}
//--- expected
// error[CK1422]: `umma.2cta` in a kernel without `cluster`
//   --> fail_umma_pair.cake:11:20
//   11 |     if warp == 0 { umma.2cta acc = sa * sb.T }
//      |                    ^^^^^^^^^
//   why: CTAs reach each other's shared memory only inside a cluster, which the launch forms
//   fix (manual): say `cluster 2` at the beginning of the kernel
