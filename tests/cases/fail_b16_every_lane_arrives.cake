// All lanes arrive at a barrier that counts one: it runs ahead of the slots.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s[2]: f32[32]
  event full[2] count 1
  event free[2] count 1
  role fill: warps 1 {
    for k in 0..K {
      wait free@(k - 2)
      st s@k[lane] <- ld x[k, lane]
      arrive.thread full@k
    }
  }
  role read: warps 1 {
    for k in 0..K {
      wait full@k
      st y[k, lane] <- ld s@k[31 - lane]
      arrive free@k
    }
  }
}
