// mode: check
program p target sm_90
out y: f32[64]
kernel run {
  cluster 0
  grid (2)
  role main: warps 1 { st y[cta*32 + lane] <- 0.0 }
}
//--- expected
// error[CK1420]: a cluster of 0 CTAs
//   --> fail_cluster_size.cake:5:3
//    5 |   cluster 0
//      |   ^^^^^^^^^
//   why: a cluster is a number of CTAs side by side in x, at least 1
