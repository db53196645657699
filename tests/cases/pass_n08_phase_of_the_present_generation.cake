// The wait for the slot's last reader names the generation that is current, one behind the one to be filled.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  event empty[1] count 1
  role load: warps 1 {
    for k in 0..K {
      wait empty@(k - 1)
      tma.load s <- x[k, :] on full@k
      expect full@k
    }
  }
  role read: warps 1 {
    for k in 0..K {
      wait full@k
      st y[k, lane] <- ld s[lane]
      arrive empty@k
    }
  }
}
