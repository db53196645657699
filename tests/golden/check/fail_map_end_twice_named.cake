// mode: check
program p target sm_90a
out y: f32[256, 32]
kernel k {
  grid (1)
  smem tile: f32[64, 32] swizzle 128
  tensormap y
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    tensormap.set y[40, 8]
    once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1484]: `tensormap.set y`: one index, the end of its dimension, stands among whole dimensions of a tensor
//   --> fail_map_end_twice_named.cake:12:19
//   12 |     tensormap.set y[40, 8]
//      |                   ^^^^^^^^
//   why: PTX ISA, tensormap.replace .global_dim: the extent of one dimension of a tensor map
//   fix (manual): write `tensormap.set x[end, :]`
