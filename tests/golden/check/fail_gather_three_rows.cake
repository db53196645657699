// mode: check
program p target sm_100
in x: f32[64, 32], z: f32[4, 64, 32]
out y: f32[32]
kernel k {
  grid (1)
  smem tile: f32[4, 32]
  event full[1] count 1
  role main: warps 1 {
    tma.gather4 tile <- x[[1, 2, 3], 0:+32] on full@0
    expect full@0
    wait full@0
    st y[lane] <- ld tile[0, lane]
  }
}
//--- expected
// error[CK1483]: the rows of `tma.gather4` are i32[3]
//   --> fail_gather_three_rows.cake:10:27
//   10 |     tma.gather4 tile <- x[[1, 2, 3], 0:+32] on full@0
//      |                           ^^^^^^^^^
//   why: PTX ISA, .tile::gather4: four coordinates of 32 bits, one a row
//   fix (manual): give four i32: `[a, b, c, d]`
