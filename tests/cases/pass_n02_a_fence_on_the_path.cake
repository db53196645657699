// One fence between the last access and the release covers the accesses before it, wherever it stands.
program p target sm_90
dim K in 1..=16
in x: f32[K, 32]
out y: f32[K, 32], z: f32[K, 32]
kernel k {
  grid (1)
  ring tile[2] { v: f32[32] } from fill to store
  role fill: warps 1 {
    for k in 0..K {
      acquire tile@k
      st tile.v@k[lane] <- ld x[k, lane]
      fence async
      st z[k, lane] <- 1.0
      commit tile@k
    }
  }
  role store: warps 1 {
    for k in 0..K {
      wait tile@k
      once { tma.store y[k, :] <- tile.v@k; tma.commit; tma.wait.read 0 }
      release tile@k
    }
  }
}
