// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: u8[64, 24]
  role main: warps 1 {
    once { tma.store w[:, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3122]: the rows of the box in `tile` are 24 bytes, which is not a multiple of 16
//   --> fail_copy_innermost_bytes.cake:8:33
//    8 |     once { tma.store w[:, :] <- tile; tma.commit; tma.wait.read 0 }
//      |                                 ^^^^
//   why: CUDA driver API, cuTensorMapEncodeTiled: the innermost box dimension is a multiple of 16 bytes
