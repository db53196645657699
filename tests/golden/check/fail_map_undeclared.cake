// mode: check
program p target sm_90a
inout y: f32[256, 32]
kernel k {
  grid (4)
  smem tile: f32[64, 32] swizzle 128
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    tensormap.set y[200, :]
    once { tma.store y[cta*64:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1230]: `tensormap.set` of `y`, which no item `tensormap` of the kernel names
//   --> fail_map_undeclared.cake:11:19
//   11 |     tensormap.set y[200, :]
//      |                   ^^^^^^^^^
//   why: the item says that copies of the tensor go through patched maps, so that one without its `tensormap.set` is found
//   fix (machine): declare it: `tensormap y`
//     7:3: insert `tensormap y\n  `
