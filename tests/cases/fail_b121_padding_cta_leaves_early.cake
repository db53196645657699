// The CTA that pads the grid to whole clusters takes no part in what its peer waits for.
program p target sm_90
dim T in 1..=100
in x: f32[T, 32]
out y: f32[T, 32]
kernel k {
  cluster 2
  grid (ceildiv(T, 2)*2)
  smem s: f32[32]
  event full[1] count 1
  role main: warps 1 {
    if cta < T { st s[lane] <- ld x[cta, lane] } else { st s[lane] <- 0.0 }
    if cta < T { arrive full@0 at 1 - cluster.rank }
    if cta < T {
      wait.cluster full@0
      st y[cta, lane] <- ld s[lane] at 1 - cluster.rank
    }
  }
}
