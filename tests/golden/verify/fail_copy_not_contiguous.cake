// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[16, 64]
  role main: warps 1 {
    once { bulk.store z[0:+16, 0:+32] <- tile[:, 0:+32]; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3126]: the bytes of `tile` in a bulk copy are not contiguous
//   --> fail_copy_not_contiguous.cake:8:42
//    8 |     once { bulk.store z[0:+16, 0:+32] <- tile[:, 0:+32]; tma.commit; tma.wait.read 0 }
//      |                                          ^^^^^^^^^^^^^^
//   why: a bulk copy moves one run of bytes; a tensor copy moves boxes
