// No chip forms clusters of more than 16 CTAs.
program p target sm_90
in x: f32[32]
out y: f32[32, 32]
kernel k {
  cluster 16
  grid (32)
  role main: warps 1 { st y[cta, lane] <- ld x[lane] }
}
