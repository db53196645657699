// One warpgroup's wait says nothing of the other's products, which still read the tile.
program p target sm_90a
dim K in 2..=8
in x: bf16[128, 64], w: bf16[64*K, 64]
out y: f32[128, 64]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 8 {
    var acc: wgmma f32[64, 64]
    for r in warp..128 step 8 { st a[r, lane*2:+2] <- ld x[r, lane*2:+2] }
    for k in 0..K {
      if wg == 0 {
        for r in warp..64 step 4 { cp.async b[r, lane*2:+2] <- w[k*64 + r, lane*2:+2] }
        cp.async.commit
        cp.async.wait 0
        fence async
      }
      fence async
      sync role
      wgmma acc += a[wg*64:+64, :] * b.T zero k == 0
      wgmma.commit
      wgmma.wait 0
    }
    for (r, e) in acc { st y[wg*64 + acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
