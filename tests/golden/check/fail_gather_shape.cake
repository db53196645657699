// mode: check
program p target sm_100
in x: f32[64, 32], z: f32[4, 64, 32]
out y: f32[32]
kernel k {
  grid (1)
  smem tile: f32[4, 32]
  event full[1] count 1
  role main: warps 1 {
    tma.gather4 tile <- x[[1, 2, 3, 4], 0:+16] on full@0
    expect full@0
    wait full@0
    st y[lane] <- ld tile[0, lane]
  }
}
//--- expected
// error[CK1152]: `x` covers [4, 16] and `tile` covers [4, 32]
//   --> fail_gather_shape.cake:10:25
//   10 |     tma.gather4 tile <- x[[1, 2, 3, 4], 0:+16] on full@0
//      |                         ^^^^^^^^^^^^^^^^^^^^^^
//   why: both sides of a copy have the same extents, dimensions with a single index left out
