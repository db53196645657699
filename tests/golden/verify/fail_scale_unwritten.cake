// mode: gates
program example target sm_100a
in a: e2m1x2[128, 64], b: e2m1x2[32, 64], sa: ue4m3[2, 32, 16], sb: ue4m3[2, 32, 16]
out y: f32[128, 32]
kernel run {
  grid (1)
  smem ta: e2m1x2[128, 64] swizzle 64
  smem tb: e2m1x2[32, 64] swizzle 64
  smem ua: ue4m3[2, 32, 16]
  smem ub: ue4m3[2, 32, 16]
  tmem acc: f32[128, 32]
  tmem va: ue4m3[128, 8]
  tmem vb: ue4m3[128, 8]
  event loaded[1] count 1
  event done[1] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 {
      tma.load ta <- a[:, :] on loaded@0
      tma.load tb <- b[:, :] on loaded@0
      tma.load ua <- sa[:, :, :] on loaded@0
      tma.load ub <- sb[:, :, :] on loaded@0
      expect loaded@0
      wait loaded@0
      tmem.cp va <- ua
      umma acc = ta * tb.T scale va, vb
      umma.commit done@0
    }
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
//--- expected
