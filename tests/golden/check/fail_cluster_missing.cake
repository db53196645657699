// mode: check
program p target sm_90
in x: f32[64, 32]
out y: f32[64, 32]
kernel run {
  grid (2)
  ring tiles[2] { v: f32[16, 32] } from load to drain cluster
  smem s: f32[32]
  role load: warps 1 {
    acquire tiles@0
    tma.load tiles.v@0 <- x[0:+16, :] multicast 3
    commit tiles@0
  }
  role drain: warps 1 {
    wait tiles@0
    st s[lane] at 1 <- ld tiles.v@0[0, lane]
    st y[cta, lane] <- 0.0
    release tiles@0
  }
}
//--- expected
// error[CK1422]: `ring .. cluster` in a kernel without `cluster`
//   --> fail_cluster_missing.cake:7:3
//    7 |   ring tiles[2] { v: f32[16, 32] } from load to drain cluster
//      |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: CTAs reach each other's shared memory only inside a cluster, which the launch forms
//   fix (manual): say `cluster 2` at the beginning of the kernel
//
// error[CK1422]: `multicast` in a kernel without `cluster`
//   --> fail_cluster_missing.cake:11:49
//   11 |     tma.load tiles.v@0 <- x[0:+16, :] multicast 3
//      |                                                 ^
//   why: CTAs reach each other's shared memory only inside a cluster, which the launch forms
//   fix (manual): say `cluster 2` at the beginning of the kernel
//
// error[CK1422]: `at` in a kernel without `cluster`
//   --> fail_cluster_missing.cake:16:8
//   16 |     st s[lane] at 1 <- ld tiles.v@0[0, lane]
//      |        ^^^^^^^^^^^^
//   why: CTAs reach each other's shared memory only inside a cluster, which the launch forms
//   fix (manual): say `cluster 2` at the beginning of the kernel
