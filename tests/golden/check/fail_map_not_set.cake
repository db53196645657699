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
    if warp == 0 { tensormap.set y[40, :] }
    once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1486]: this copy of `y` is not behind a `tensormap.set` of its role
//   --> fail_map_not_set.cake:13:12
//   13 |     once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
//      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   12 |     if warp == 0 { tensormap.set y[40, :] }
//      |                    ---------------------- set here
//   why: where `tensormap` names a tensor, each warp copies through a map of its own, which holds nothing before it is set: the tensor's own map would go on behind the end
