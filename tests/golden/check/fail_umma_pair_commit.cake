// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  cluster 2
  grid (2)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event done[1] count 1
  role main: warps 4 {
    if warp == 0 {
      umma acc = sa * sb.T
      umma.commit.2cta done@0
    }
  }
}
//--- expected
// error[CK1474]: `umma.commit.2cta` in a kernel that has `umma`
//   --> fail_umma_pair_commit.cake:14:7
//   14 |       umma.commit.2cta done@0
//      |       ^^^^^^^^^^^^^^^^^^^^^^^
//   13 |       umma acc = sa * sb.T
//      |       -------------------- here
//   why: PTX ISA, tcgen05: all instructions of a kernel have the same .cta_group, of one CTA or of pairs
