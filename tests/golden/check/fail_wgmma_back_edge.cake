// mode: check
program p target sm_90a
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    var z: wgmma f32[64, 64]
    var s: f32 = 0.0
    for i in 0..4 {
      wgmma z = a * b.T
      wgmma.commit
      wgmma.wait 0
      s += z[0, 0]
      wgmma acc += a * b.T zero i == 0
      wgmma.commit
    }
    wgmma.wait 0
  }
}
//--- expected
// error[CK1414]: `acc` is in flight when the next trip of the loop begins, and the loop reads products
//   --> fail_wgmma_back_edge.cake:17:7
//   17 |       wgmma acc += a * b.T zero i == 0
//      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   16 |       s += z[0, 0]
//      |       ------------ a product is read here
//   why: ptxas (C7514) serialises products that cross the back edge of a loop that reads results; only loops whose accumulators are all `+=` may carry them
//   fix (manual): end the body with `wgmma.wait 0`, or begin it with that
