// Right in a cluster of one only: each CTA arrives at rank 0's barrier for itself.
program p target sm_90
in x: f32[64]
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  smem s: f32[32]
  event full[1] count 1
  role fill: warps 1 {
    st s[lane] <- ld x[cta*32 + lane]
    arrive full@0 at 0
  }
  role read: warps 1 {
    wait full@0
    st y[cta*32 + lane] <- ld s[31 - lane]
  }
}
