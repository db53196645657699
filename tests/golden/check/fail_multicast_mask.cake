// mode: check
program p target sm_90
in x: f32[64, 32]
out y: f32[64]
kernel run {
  cluster 2
  grid (2)
  ring tiles[2] { v: f32[16, 32] } from load to drain cluster
  role load: warps 1 {
    acquire tiles@0
    tma.load tiles.v@0 <- x[0:+16, :] multicast 4
    tma.load tiles.v@0 <- x[0:+16, :] multicast 0
    commit tiles@0
  }
  role drain: warps 1 {
    wait tiles@0
    st y[cta*32 + lane] <- ld tiles.v@0[0, lane]
    release tiles@0
  }
}
//--- expected
// error[CK1426]: a multicast mask of 4 in a cluster of 2; masks are 1..=3
//   --> fail_multicast_mask.cake:11:49
//   11 |     tma.load tiles.v@0 <- x[0:+16, :] multicast 4
//      |                                                 ^
//   why: bit r of the mask stands for the CTA of rank r, and somebody has to receive the copy
//
// error[CK1426]: a multicast mask of 0 in a cluster of 2; masks are 1..=3
//   --> fail_multicast_mask.cake:12:49
//   12 |     tma.load tiles.v@0 <- x[0:+16, :] multicast 0
//      |                                                 ^
//   why: bit r of the mask stands for the CTA of rank r, and somebody has to receive the copy
