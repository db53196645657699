// Two stages of 64 bytes that bulk copies fill: each begins where such a copy may.
program p target sm_90
dim K in 1..=64
in x: f16[K, 32]
out y: f16[K, 32]
kernel k {
  grid (1)
  smem s[2]: f16[32]
  event full[2] count 1
  role main: warps 1 {
    for k in 0..K {
      bulk.load s@k <- x[k, :] on full@k
      expect full@k
      wait full@k
      st y[k, lane] <- ld s@k[31 - lane]
      sync warp
    }
  }
}
