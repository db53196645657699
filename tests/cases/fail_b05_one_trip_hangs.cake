// The reader takes two tiles ahead of its loop, whatever the number of tiles.
program p target sm_90
dim K in 1..=64
in x: f32[K, 32]
out y: f32[32]
kernel k {
  grid (1)
  ring tile[2] { v: f32[32] } from load to add
  role load: warps 1 {
    for k in 0..K {
      acquire tile@k
      tma.load tile.v@k <- x[k, :]
      commit tile@k
    }
  }
  role add: warps 1 {
    var s: f32 = 0.0
    for k in 0..max(K, 2) {
      wait tile@k
      s += ld tile.v@k[lane]
      release tile@k
    }
    st y[lane] <- s
  }
}
