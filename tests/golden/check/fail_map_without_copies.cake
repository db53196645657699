// mode: check
program p target sm_90a
in x: f32[8]
out y: f32[256, 32]
kernel k {
  grid (4)
  smem tile: f32[64, 32] swizzle 128
  tensormap y, x
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    tensormap.set y[200, :]
    once { tma.store y[cta*64:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1231]: `tensormap` names `x`, of which the kernel makes no tensor copy
//   --> fail_map_without_copies.cake:8:16
//    8 |   tensormap y, x
//      |                ^
//   why: what is named is a tensor whose `tma` copies go through maps that the kernel patches
