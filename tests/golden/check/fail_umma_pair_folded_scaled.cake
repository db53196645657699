// mode: check
program p target sm_100a
kernel run {
  cluster 2
  grid (2)
  smem a: e4m3[64, 128] swizzle 128
  smem b: e4m3[32, 128] swizzle 128
  tmem acc: f32[128, 32]
  tmem sa: ue8m0[128, 4]
  tmem sb: ue8m0[128, 4]
  role main: warps 4 {
    if warp == 0 && cluster.rank == 0 { umma.2cta acc = a * b.T scale sa, sb }
  }
}
//--- expected
// error[CK1490]: `umma.2cta` of 64 rows of `a` in each CTA, a in tensor memory or with scales
//   --> fail_umma_pair_folded_scaled.cake:12:57
//   12 |     if warp == 0 && cluster.rank == 0 { umma.2cta acc = a * b.T scale sa, sb }
//      |                                                         ^
//   why: PTX ISA, tcgen05 data path layout B: the columns of the accumulator fold into two halves of the lanes; a left operand in tensor memory and scales need 128 rows in each CTA
