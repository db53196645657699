// The barrier counts the 32 threads of the loading warp, of which one arrives.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s[2]: f32[32]
  event full[2] count 32
  event free[2] count 128
  role load: warps 1 {
    for k in 0..K {
      wait free@(k - 2)
      tma.load s@k <- x[k, :] on full@k
      expect full@k
    }
  }
  role read: warps 4 {
    for k in 0..K {
      wait full@k
      if warp == 0 { st y[k, lane] <- ld s@k[lane] }
      arrive.thread free@k
    }
  }
}
