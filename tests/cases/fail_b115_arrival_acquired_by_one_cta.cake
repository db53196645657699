// The data of the other CTA is announced at its scope; the wait acquires at its own CTA's only.
program p target sm_90
in x: f32[64]
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  smem s: f32[32]
  event full[1] count 1
  role main: warps 1 {
    st s[lane] <- ld x[cta*32 + lane]
    arrive full@0 at 1 - cluster.rank
    wait full@0
    st y[cta*32 + lane] <- ld s[lane] at 1 - cluster.rank
  }
}
