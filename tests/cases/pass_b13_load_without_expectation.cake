// Bytes come to a barrier that expects none.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[32]
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  role main: warps 1 {
    var sum: f32 = 0.0
    for k in 0..K {
      tma.load s <- x[k, :] on full@k
      expect full@k
      wait full@k
      sum += ld s[lane]
      sync warp
    }
    st y[lane] <- sum
  }
}
