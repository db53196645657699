// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[16, 64]
  role main: warps 1 {
    once { tma.store z[0:+16, 0:+32] <- tile[:, 0:+32]; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3121]: the box takes 32 of 64 elements of `tile` and leaves gaps between its rows
//   --> fail_copy_part_of_rows.cake:8:41
//    8 |     once { tma.store z[0:+16, 0:+32] <- tile[:, 0:+32]; tma.commit; tma.wait.read 0 }
//      |                                         ^^^^^^^^^^^^^^
//   why: the hardware lays the rows of a box side by side: between them it leaves nothing out
