// mode: check
program p target sm_90a
out y: f32[256, 32]
kernel k {
  grid (1)
  smem tile: f32[64, 32] swizzle 128
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    if warp == 0 { tensormap.set y[40, :] }
    once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1486]: this copy of `y` is not behind the `tensormap.set` of its role
//   --> fail_map_not_set.cake:12:12
//   12 |     once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
//      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     if warp == 0 { tensormap.set y[40, :] }
//      |                    ---------------------- set here
//   why: a role that patches the map of a tensor uses its own copy of the map for it, which holds nothing before
