// mode: check
program p target sm_90a
out y: f32[256, 32]
kernel k {
  grid (4)
  smem tile: f32[64, 32] swizzle 128
  tensormap y
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    once { tma.store y[cta*64:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1486]: this copy of `y` is not behind a `tensormap.set` of its role
//   --> fail_map_forgotten.cake:12:12
//   12 |     once { tma.store y[cta*64:+64, :] <- tile; tma.commit; tma.wait 0 }
//      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    7 |   tensormap y
//      |             - declared here
//   why: where `tensormap` names a tensor, each warp copies through a map of its own, which holds nothing before it is set: the tensor's own map would go on behind the end
