// Bytes may come before the arrival that expects them: the phase cannot complete without it.
program p target sm_90
dim K in 1..=16
in x: f32[K, 32], w: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem a: f32[32]
  smem b: f32[32]
  event full[1] count 1
  role main: warps 1 {
    for k in 0..K {
      tma.load a <- x[k, :] on full@k
      tma.load b <- w[k, :] on full@k
      expect full@k bytes 256
      wait full@k
      st y[k, lane] <- (ld a[lane]) + ld b[lane]
      sync warp
    }
  }
}
