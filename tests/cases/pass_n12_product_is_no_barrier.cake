// Four warps multiply together between a store and a load of shared memory: that orders nothing.
program p target sm_90a
in x: bf16[64, 64], v: f32[128]
out y: f32[64, 64], z: f32[128]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem s: f32[128]
  event full[1] count 1
  role main: warps 4 {
    var acc: wgmma f32[64, 64]
    if warp == 0 { tma.load a <- x on full@0; expect full@0 }
    st s[thread] <- ld v[thread]
    wait full@0
    wgmma acc = a * a.T
    wgmma.commit
    wgmma.wait 0
    sync wg
    st z[thread] <- ld s[127 - thread]
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
