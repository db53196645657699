// With one store pending the wait is over at once: it is the one that reads the slot to be filled.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s[2]: f32[32]
  event full[2] count 1
  role copy: warps 1 {
    tma.load s@0 <- x[0, :] on full@0
    expect full@0
    for k in 0..K {
      wait full@k
      once { tma.store y[k, :] <- s@k; tma.commit; tma.wait.read 0 }
      sync role
      if k + 1 < K {
        tma.load s@(k + 1) <- x[k + 1, :] on full@(k + 1)
        expect full@(k + 1)
      }
    }
    once { tma.wait.read 0 }
  }
}
