// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[16, 64] swizzle 128
  role main: warps 1 {
    once { tma.store z[0:+16, 0:+16] <- tile[:, 0:+16]; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3124]: the columns of `tile` in the box are 64 bytes from byte 0, not whole column panels
//   --> fail_copy_part_of_panel.cake:8:41
//    8 |     once { tma.store z[0:+16, 0:+16] <- tile[:, 0:+16]; tma.commit; tma.wait.read 0 }
//      |                                         ^^^^^^^^^^^^^^
//    6 |   smem tile: f32[16, 64] swizzle 128
//      |        ---- panels of 128 bytes
//   why: a swizzled buffer is made of column panels as wide as the swizzle; a box fills whole ones
