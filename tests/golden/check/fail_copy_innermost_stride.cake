// mode: check
program p target sm_90
out y: f32[16, 32] stride (32, sx)
kernel k {
  grid (1)
  smem tile: f32[16, 32]
  role main: warps 1 { once { tma.store y[:, :] <- tile; tma.commit; tma.wait 0 } }
}
//--- expected
// error[CK1157]: the last dimension of `y` is not known to be contiguous
//   --> fail_copy_innermost_stride.cake:7:41
//    7 |   role main: warps 1 { once { tma.store y[:, :] <- tile; tma.commit; tma.wait 0 } }
//      |                                         ^^^^^^^
//    3 | out y: f32[16, 32] stride (32, sx)
//      |     - declared here
//   why: a tensor map has no stride for its innermost dimension; declare it with stride 1
