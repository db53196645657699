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
    tensormap.set y[40, :]
    tensormap.set y[41, :]
    once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1485]: role `main` has a second `tensormap.set` of `y`
//   --> fail_map_twice.cake:13:5
//   13 |     tensormap.set y[41, :]
//      |     ^^^^^^^^^^^^^^^^^^^^^^
//   12 |     tensormap.set y[40, :]
//      |     ---------------------- the first one
//   why: which of two ends a copy sees would depend on the way to it; one statement in a loop sets every end
