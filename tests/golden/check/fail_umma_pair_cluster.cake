// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  cluster 3
  grid (3)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[16, 64] swizzle 128
  tmem acc: f32[128, 32]
  event done[1] count 1
  role main: warps 4 {
    if warp == 0 && cluster.rank == 0 {
      umma.2cta acc = sa * sb.T
      umma.commit.2cta done@0
    }
  }
}
//--- expected
// error[CK1471]: `umma.2cta` in a kernel whose clusters have 3 CTAs
//   --> fail_umma_pair_cluster.cake:13:7
//   13 |       umma.2cta acc = sa * sb.T
//      |       ^^^^^^^^^
//   why: PTX ISA, tcgen05 CTA pair: two CTAs of a cluster whose ranks differ in the last bit, so a cluster has an even number of them
//   fix (manual): say `cluster 2`
//
// error[CK1471]: `umma.commit.2cta` in a kernel whose clusters have 3 CTAs
//   --> fail_umma_pair_cluster.cake:14:7
//   14 |       umma.commit.2cta done@0
//      |       ^^^^^^^^^^^^^^^^
//   why: PTX ISA, tcgen05 CTA pair: two CTAs of a cluster whose ranks differ in the last bit, so a cluster has an even number of them
//   fix (manual): say `cluster 2`
