// mode: check
program p target sm_90
out y: f32[64]
kernel run {
  cluster 2
  grid (2)
  role main: warps 1 {
    if cluster.rank == 0 { cluster.sync }
    st y[cta*32 + lane] <- 0.0
  }
}
//--- expected
// error[CK1110]: `cluster.sync` needs every thread of its `cluster`; control here is `cta` level
//   --> fail_cluster_sync_divergent.cake:8:28
//    8 |     if cluster.rank == 0 { cluster.sync }
//      |                            ^^^^^^^^^^^^
//    8 |     if cluster.rank == 0 { cluster.sync }
//      |        ----------------- this condition is cta level
//    8 |     if cluster.rank == 0 { cluster.sync }
//      |        ------------ this is cta level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
