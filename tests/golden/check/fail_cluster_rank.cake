// mode: check
program p target sm_90
out y: f32[64]
kernel run {
  cluster 2
  grid (2)
  smem s: f32[32]
  event e[1] count 1
  role main: warps 1 {
    st s[lane] at 2 <- 0.0
    arrive e@0 at -1
    st s[lane] at cvt.i64(cluster.rank) <- 0.0
    st y[cta*32 + lane] <- 0.0
  }
}
//--- expected
// error[CK1425]: rank 2 of a cluster of 2
//   --> fail_cluster_rank.cake:10:19
//   10 |     st s[lane] at 2 <- 0.0
//      |                   ^
//   why: the CTAs of a cluster have the ranks 0 up to its size
//
// error[CK1425]: rank -1 of a cluster of 2
//   --> fail_cluster_rank.cake:11:19
//   11 |     arrive e@0 at -1
//      |                   ^^
//   why: the CTAs of a cluster have the ranks 0 up to its size
//
// error[CK1433]: a rank or mask of type `i64`
//   --> fail_cluster_rank.cake:12:19
//   12 |     st s[lane] at cvt.i64(cluster.rank) <- 0.0
//      |                   ^^^^^^^^^^^^^^^^^^^^^
//   why: ranks and masks are i32
