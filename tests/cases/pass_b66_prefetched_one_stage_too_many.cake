// Three tiles ahead in three stages: the one that is filled is the one being read.
program p target sm_80
dim K in 1..=64
in x: f32[K, 64]
out y: f32[K, 64]
kernel k {
  grid (1)
  smem s[3]: f32[64]
  role main: warps 2 {
    for k in 0..2 {
      if k < K { cp.async s@k[thread] <- x[k, thread] }
      cp.async.commit
    }
    for k in 0..K {
      cp.async.wait 1
      sync role
      let v = ld s@k[63 - thread]
      if k + 2 < K { cp.async s@(k + 2)[thread] <- x[k + 2, thread] }
      cp.async.commit
      st y[k, thread] <- v
    }
  }
}
