// A slot of 64 bytes: the distance of two slots is derived, as hardware copies need it.
program p target sm_90
dim K in 1..=64
in x: f32[K, 16]
out y: f32[K, 16]
kernel k {
  grid (1)
  ring tile[2] { v: f32[16] } from load to store
  role load: warps 1 {
    for k in 0..K { acquire tile@k; tma.load tile.v@k <- x[k, :]; commit tile@k }
  }
  role store: warps 1 {
    for k in 0..K {
      wait tile@k
      if lane < 16 { st y[k, lane] <- ld tile.v@k[15 - lane] }
      release tile@k
    }
  }
}
