// mode: check
program p target sm_90
out y: f32[2, 2, 2, 2, 2, 32]
kernel k {
  grid (1)
  smem tile: f32[2, 2, 2, 2, 2, 32]
  role main: warps 1 { once { tma.store y[:, :, :, :, :, :] <- tile; tma.commit; tma.wait 0 } }
}
//--- expected
// error[CK1156]: `y` has 6 dimensions; a tensor map has 1 to 5
//   --> fail_copy_rank.cake:7:41
//    7 |   role main: warps 1 { once { tma.store y[:, :, :, :, :, :] <- tile; tma.commit; tma.wait 0 } }
//      |                                         ^^^^^^^^^^^^^^^^^^^
//   why: the coordinates of a tensor copy are part of the instruction
