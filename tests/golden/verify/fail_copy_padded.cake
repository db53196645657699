// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[16, 32] padded 4
  role main: warps 1 {
    once { tma.store z[0:+16, 0:+32] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3120]: `tile` is padded, and a tensor copy fills dense rows
//   --> fail_copy_padded.cake:8:41
//    8 |     once { tma.store z[0:+16, 0:+32] <- tile; tma.commit; tma.wait.read 0 }
//      |                                         ^^^^
//    6 |   smem tile: f32[16, 32] padded 4
//      |        ---- `rows` and `swizzle` are what tensor copies fill
//   why: the hardware lays the rows of a box side by side, or swizzles them
//   fix (manual): declare it `rows` or `swizzle 128`
