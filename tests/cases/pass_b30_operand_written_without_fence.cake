// A product reads what threads have written: a barrier alone does not hand it over.
program p target sm_90a
in x: bf16[64, 64], w: bf16[64, 64]
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    for r in warp..64 step 4 {
      st a[r, lane*2:+2] <- ld x[r, lane*2:+2]
      st b[r, lane*2:+2] <- ld w[r, lane*2:+2]
    }
    fence async
    sync role
    wgmma acc = a * b.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
