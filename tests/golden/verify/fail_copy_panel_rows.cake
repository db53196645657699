// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[12, 64] swizzle 128
  role main: warps 1 {
    once { tma.store z[0:+12, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3129]: the column panels of `tile` have 12 rows, which is not a multiple of 8
//   --> fail_copy_panel_rows.cake:8:37
//    8 |     once { tma.store z[0:+12, :] <- tile; tma.commit; tma.wait.read 0 }
//      |                                     ^^^^
//    6 |   smem tile: f32[12, 64] swizzle 128
//      |        ---- declared here
//   why: the swizzle's pattern repeats after eight rows, and every panel begins with it
