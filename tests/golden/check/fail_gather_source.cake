// mode: check
program p target sm_100
in x: f32[64, 32], z: f32[4, 64, 32]
out y: f32[32]
kernel k {
  grid (1)
  smem tile: f32[4, 32]
  event full[1] count 1
  role main: warps 1 {
    tma.gather4 tile <- z[0, [1, 2, 3, 4], 0:+32] on full@0
    expect full@0
    wait full@0
    st y[lane] <- ld tile[0, lane]
  }
}
//--- expected
// error[CK1482]: `z` is no source of `tma.gather4`, which is `x[[a, b, c, d], k:+n]`
//   --> fail_gather_source.cake:10:25
//   10 |     tma.gather4 tile <- z[0, [1, 2, 3, 4], 0:+32] on full@0
//      |                         ^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, cp.async.bulk.tensor .tile::gather4: rows of a tensor of two dimensions
