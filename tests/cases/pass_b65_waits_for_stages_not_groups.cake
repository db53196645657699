// Each stage is two groups; the wait counts stages.
program p target sm_80
dim K in 1..=64
in x: f32[K, 32], w: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem a[3]: f32[32]
  smem b[3]: f32[32]
  role main: warps 1 {
    for k in 0..2 {
      if k < K { cp.async a@k[lane] <- x[k, lane] }
      cp.async.commit
      if k < K { cp.async b@k[lane] <- w[k, lane] }
      cp.async.commit
    }
    for k in 0..K {
      cp.async.wait 2
      sync role
      st y[k, lane] <- (ld a@k[31 - lane]) + (ld b@k[31 - lane])
      sync role
      if k + 2 < K { cp.async a@(k + 2)[lane] <- x[k + 2, lane] }
      cp.async.commit
      if k + 2 < K { cp.async b@(k + 2)[lane] <- w[k + 2, lane] }
      cp.async.commit
    }
  }
}
