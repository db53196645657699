// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[16, 512]
  role main: warps 1 {
    once { tma.store y[0:+16, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3123]: the rows of the box in `tile` have 512 elements; a box has at most 256 in each dimension
//   --> fail_copy_wide_rows.cake:8:37
//    8 |     once { tma.store y[0:+16, :] <- tile; tma.commit; tma.wait.read 0 }
//      |                                     ^^^^
//    6 |   smem tile: f32[16, 512]
//      |        ---- declared here
//   why: wider rows are copied as column panels, which `swizzle` makes of the buffer
//   fix (manual): declare it `swizzle 128`, or copy slices of it
