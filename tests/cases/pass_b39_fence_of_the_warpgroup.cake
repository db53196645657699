// The fence before the first product of a warpgroup is derived.
program p target sm_90a
in x: bf16[64, 64]
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  event full[1] count 1
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    if warp == 0 { tma.load a <- x on full@0; expect full@0 }
    wait full@0
    wgmma acc = a * a.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
