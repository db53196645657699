// The copy of the next tile stands above the read of this one, in the same memory.
program p target sm_80
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s[2]: f32[32]
  role main: warps 1 {
    cp.async s@0[lane] <- x[0, lane]
    cp.async.commit
    for k in 0..K {
      cp.async.wait 0
      sync role
      if k + 1 < K { cp.async s@0[lane] <- x[k + 1, lane] }
      cp.async.commit
      st y[k, lane] <- ld s@0[31 - lane]
      sync role
    }
  }
}
