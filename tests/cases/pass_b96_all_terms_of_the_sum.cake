// A ring and a buffer, each within the limit, together beyond it.
program p target sm_86
dim K in 1..=64
in x: f32[K, 32]
out y: f32[K, 32], z: f32[32]
kernel k {
  grid (1)
  ring tile[2] { v: f32[8192] } from load to store
  smem s: f32[1024]
  role load: warps 1 {
    for k in 0..K { acquire tile@k; st tile.v@k[lane] <- ld x[k, lane]; commit tile@k }
  }
  role store: warps 1 {
    st s[lane] <- 1.0
    sync warp
    st z[lane] <- ld s[31 - lane]
    for k in 0..K { wait tile@k; st y[k, lane] <- ld tile.v@k[31 - lane]; release tile@k }
  }
}
