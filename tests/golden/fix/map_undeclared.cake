// mode: check-fix
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
// // mode: check-fix
// program p target sm_90a
// inout y: f32[256, 32]
// kernel k {
//   grid (4)
//   smem tile: f32[64, 32] swizzle 128
//   tensormap y
//   role main: warps 1 {
//     for r in 0..64 { st tile[r, lane] <- 1.0 }
//     fence async
//     sync role
//     tensormap.set y[200, :]
//     once { tma.store y[cta*64:+64, :] <- tile; tma.commit; tma.wait 0 }
//   }
// }
