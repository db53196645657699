// mode: gates
program p target sm_90a
in x: bf16[64, 64], w: bf16[64, 64]
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  event full[1] count 1
  role main: warps 4 {
    if warp == 0 {
      tma.load a <- x on full@0
      tma.load b <- w on full@0
      expect full@0
    }
    wait full@0
    var acc: wgmma f32[64, 64]
    if warp < 3 {
      wgmma acc = a * b.T
    }
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1110]: `wgmma` needs every thread of its `wg`; control here is `warp` level
//   --> fail_wgmma_some_warps.cake:19:7
//   19 |       wgmma acc = a * b.T
//      |       ^^^^^^^^^^^^^^^^^^^
//   18 |     if warp < 3 {
//      |        -------- this condition is warp level
//   18 |     if warp < 3 {
//      |        ---- this is warp level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
