// mode: check
program p target sm_90
inout y: f32[16, 32]
kernel k {
  grid (1)
  smem tile: f32[16, 32]
  role main: warps 1 {
    let row = cvt.i64(cta)
    once { tma.store y[row:+16, :] <- tile; tma.commit; tma.wait 0 }
    tma.store y[lane:+16, :] <- tile
    if lane == 3 { tma.store y[0:+16, :] <- tile }
  }
}
//--- expected
// error[CK1167]: a coordinate of `y` is i64
//   --> fail_copy_coordinates.cake:9:24
//    9 |     once { tma.store y[row:+16, :] <- tile; tma.commit; tma.wait 0 }
//      |                        ^^^
//   why: the coordinates of a tensor copy are 32-bit numbers of elements, as dims are
//
// error[CK1111]: `tma.store` is one operation of a `warp`; this index is `lane` level
//   --> fail_copy_coordinates.cake:10:17
//   10 |     tma.store y[lane:+16, :] <- tile
//      |                 ^^^^
//   why: threads that execute one operation together name one place
//
// error[CK1110]: `tma.store` needs every thread of its `warp`; control here is `lane` level
//   --> fail_copy_coordinates.cake:11:20
//   11 |     if lane == 3 { tma.store y[0:+16, :] <- tile }
//      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     if lane == 3 { tma.store y[0:+16, :] <- tile }
//      |        --------- this condition is lane level
//   11 |     if lane == 3 { tma.store y[0:+16, :] <- tile }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
