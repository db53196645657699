// A warpgroup multiplies what its four warps have just stored: they have met nowhere.
program p target sm_90a
in x: bf16[64, 64], v: bf16[64, 64]
out y: f32[64, 64]
kernel k {
  grid (1)
  smem prob: bf16[64, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  event full[1] count 1
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    if warp == 0 { tma.load b <- v on full@0; expect full@0 }
    for r in 0..16 { st prob[warp*16 + r, lane*2:+2] <- ld x[warp*16 + r, lane*2:+2] }
    fence async
    sync wg
    wait full@0
    wgmma acc = prob * b
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
