// Raw bulk copies whose completion on the slot's barrier orders them.
program p target sm_90
dim K in 1..=64
in x: f32[K, 64]
out y: f32[K, 64]
kernel k {
  grid (1)
  ring tile[3] { v: f32[64] } from load to read
  role load: warps 1 {
    for k in 0..K { acquire tile@k; bulk.load tile.v@k <- x[k, :]; commit tile@k }
  }
  role read: warps 2 {
    for k in 0..K {
      wait tile@k
      st y[k, thread] <- ld tile.v@k[63 - thread]
      release tile@k
    }
  }
}
