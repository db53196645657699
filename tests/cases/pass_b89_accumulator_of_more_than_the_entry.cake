// With four warpgroups a thread has 128 registers at most; the accumulator alone takes them.
program p target sm_90a
in x: bf16[128, 64], w: bf16[256, 64]
out y: f32[4, 64, 256]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[256, 64] swizzle 128
  event full[1] count 1
  role main: warps 16 {
    var acc: wgmma f32[64, 128]
    if warp == 0 { tma.load a <- x on full@0; tma.load b <- w on full@0; expect full@0 }
    wait full@0
    for h in 0..2 {
    wgmma acc = a[wg%2*64:+64, :] * b[h*128:+128, :].T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[wg, acc.row(r), h*128 + acc.col(e)] <- acc[r, e] }
    }
  }
}
