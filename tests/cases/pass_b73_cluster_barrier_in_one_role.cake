// One role of two executes the barrier of the cluster.
program p target sm_90
in x: f32[64]
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  smem s: f32[32]
  role main: warps 1 {
    st s[lane] <- ld x[cta*32 + lane]
    cluster.sync
    st y[cta*32 + lane] <- ld s[lane] at 1 - cluster.rank
  }
  role other: warps 1 { cluster.sync }
}
