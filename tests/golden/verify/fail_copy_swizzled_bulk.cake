// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[16, 32] swizzle 128
  role main: warps 1 {
    once { bulk.store s[0, 0:+16, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3128]: `tile` is swizzled, and a bulk copy moves bytes as they are
//   --> fail_copy_swizzled_bulk.cake:8:41
//    8 |     once { bulk.store s[0, 0:+16, :] <- tile; tma.commit; tma.wait.read 0 }
//      |                                         ^^^^
//    6 |   smem tile: f32[16, 32] swizzle 128
//      |        ---- declared here
//   why: only tensor copies know the swizzle
