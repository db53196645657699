// Two warpgroups multiply one tile and go back to load the next; nothing holds the faster one.
program p target sm_90a
dim K in 2..=8
in x: bf16[64*K, 64], w: bf16[64, 64]
out y: f32[2, 64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 8 {
    var acc: wgmma f32[64, 64]
    for r in warp..64 step 8 { st b[r, lane*2:+2] <- ld w[r, lane*2:+2] }
    for k in 0..K {
      for r in warp..64 step 8 { st a[r, lane*2:+2] <- ld x[k*64 + r, lane*2:+2] }
      fence async
      sync role
      wgmma acc += a * b.T zero k == 0
      wgmma.commit
      wgmma.wait 0
    }
    for (r, e) in acc { st y[wg, acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
