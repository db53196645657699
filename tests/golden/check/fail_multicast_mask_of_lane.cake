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
    tma.load tiles.v@0 <- x[0:+16, :] multicast 1 + lane
    commit tiles@0
  }
  role drain: warps 1 {
    wait tiles@0
    st y[cta*32 + lane] <- ld tiles.v@0[0, lane]
    release tiles@0
  }
}
//--- expected
// error[CK1111]: `tma.load` is one operation of a `warp`; this index is `lane` level
//   --> fail_multicast_mask_of_lane.cake:11:49
//   11 |     tma.load tiles.v@0 <- x[0:+16, :] multicast 1 + lane
//      |                                                 ^^^^^^^^
//   11 |     tma.load tiles.v@0 <- x[0:+16, :] multicast 1 + lane
//      |                                                     ---- this is lane level
//   why: threads that execute one operation together name one place
