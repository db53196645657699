// Waits for a product's own event by the number of the ring's turns: its second wait is over at once.
program p target sm_100a
dim K in 1..=16
in a: bf16[128, 64*K], b: bf16[32, 64*K]
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa[3]: bf16[128, 64] swizzle 128
  smem sb[3]: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event full[3] count 1
  event done[1] count 1
  event last[1] count 1
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    if warp == 0 {
      for k in 0..min(3, K) {
        tma.load sa@k <- a[:, k*64:+64] on full@k
        tma.load sb@k <- b[:, k*64:+64] on full@k
        expect full@k
      }
      for k in 0..K {
        wait full@k
        umma acc += sa@k * sb@k.T zero k == 0
        umma.commit done@k
        wait done@(k/3)
        if k + 3 < K {
          tma.load sa@(k + 3) <- a[:, k*64 + 192:+64] on full@(k + 3)
          tma.load sb@(k + 3) <- b[:, k*64 + 192:+64] on full@(k + 3)
          expect full@(k + 3)
        }
      }
      umma.commit last@0
    }
    wait last@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
