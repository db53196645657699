// Uses are numbered 0, 1, 2, ..; what the wait is given is the last bit of the generation.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s[2]: f32[32]
  event full[2] count 1
  event free[2] count 1
  role load: warps 1 {
    for k in 0..K {
      wait free@(k - 2)
      tma.load s@k <- x[k, :] on full@k
      expect full@k
    }
  }
  role read: warps 1 {
    for k in 0..K {
      wait full@k
      st y[k, lane] <- ld s@k[lane]
      arrive free@k
    }
  }
}
