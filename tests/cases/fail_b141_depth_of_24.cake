// A depth of 24 in products of 16: the division leaves the last 8 out of the sum.
program p target sm_90a
in x: bf16[64, 64], w: bf16[32, 64]
out y: f32[64, 32]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  event full[1] count 1
  role main: warps 4 {
    var acc: wgmma f32[64, 32]
    if warp == 0 { tma.load a <- x on full@0; tma.load b <- w on full@0; expect full@0 }
    wait full@0
    wgmma acc = a[:, 0:+24] * b[:, 0:+24].T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
