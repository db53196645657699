// 24 columns that lie along the rows of an operand: no pattern of 32 bytes or more holds them.
program p target sm_90a
in x: bf16[64, 64], w: bf16[64, 24]
out y: f32[64, 24]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[64, 24] swizzle 64
  event full[1] count 1
  role main: warps 4 {
    var acc: wgmma f32[64, 24]
    for r in warp..64 step 4 { if lane < 24 { st b[r, lane] <- ld w[r, lane] } }
    fence async
    if warp == 0 { tma.load a <- x on full@0; expect full@0 }
    sync role
    wait full@0
    wgmma acc = a * b
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
