// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  cluster 2
  grid (2)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[16, 64] swizzle 128
  tmem acc: f32[64, 32]
  event done[1] count 1
  role main: warps 4 {
    if warp == 0 && cluster.rank == 0 {
      umma.2cta acc = sa[0:+64, :] * sb.T
      umma.commit.2cta done@0
    }
  }
}
//--- expected
// error[CK1472]: `umma.2cta` into `acc`, which has 64 rows; each CTA of a pair has 128
//   --> fail_umma_pair_rows.cake:13:17
//   13 |       umma.2cta acc = sa[0:+64, :] * sb.T
//      |                 ^^^
//   why: PTX ISA, tcgen05 data path layouts: a pair multiplies 256 rows, one lane a row in each CTA (layout A), or 128, whose columns fold into two halves of the lanes (layout B)
