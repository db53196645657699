// Threads read a tile and give it back by an event; the next load refills it. Listed as an assumption.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  event free[1] count 1
  role load: warps 1 {
    for k in 0..K {
      wait free@(k - 1)
      tma.load s <- x[k, :] on full@k
      expect full@k
    }
  }
  role read: warps 1 {
    for k in 0..K {
      wait full@k
      st y[k, lane] <- ld s[31 - lane]
      arrive free@k
    }
  }
}
