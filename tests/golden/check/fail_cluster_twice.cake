// mode: check
program p target sm_90
out y: f32[64]
kernel run {
  cluster 2
  cluster 2
  grid (2)
  role main: warps 1 { st y[cta*32 + lane] <- 0.0 }
}
//--- expected
// error[CK1423]: a second `cluster`
//   --> fail_cluster_twice.cake:6:3
//    6 |   cluster 2
//      |   ^^^^^^^^^
//   why: a kernel is launched in one way
