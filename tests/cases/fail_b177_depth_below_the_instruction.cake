// 8-bit products take 32 of the depth at a time; the tile has 16.
program p target sm_90a
in x: i8[64, 32], w: i8[32, 32]
out y: i32[64, 32]
kernel k {
  grid (1)
  smem a: i8[64, 32] swizzle 32
  smem b: i8[32, 32] swizzle 32
  event full[1] count 1
  role main: warps 4 {
    var acc: wgmma i32[64, 32]
    if warp == 0 { tma.load a <- x on full@0; tma.load b <- w on full@0; expect full@0 }
    wait full@0
    wgmma acc = a[:, 0:+16] * b[:, 0:+16].T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
