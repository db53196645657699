// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  cluster 2
  grid (2)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[264, 64] swizzle 128
  tmem acc: f32[128, 528]
  event done[1] count 1
  role main: warps 4 {
    if warp == 0 && cluster.rank == 0 {
      umma.2cta acc = sa * sb.T
      umma.commit.2cta done@0
    }
  }
}
//--- expected
// error[CK1473]: `umma.2cta` of 528 columns; it has a multiple of 16 up to 256
//   --> fail_umma_pair_columns.cake:13:7
//   13 |       umma.2cta acc = sa * sb.T
//      |       ^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, tcgen05 matrix shape for .cta_group::2; half of the columns come from each CTA, so that one instruction takes them all
