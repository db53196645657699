// mode: check
program p target sm_90
out y: f32[64]
kernel run {
  grid (2)
  role main: warps 1 { st y[cta*32 + lane] <- 0.0 }
  cluster 2
}
//--- expected
// error[CK1421]: `cluster` stands behind a role
//   --> fail_cluster_after_role.cake:7:3
//    7 |   cluster 2
//      |   ^^^^^^^^^
//    6 |   role main: warps 1 { st y[cta*32 + lane] <- 0.0 }
//      |        ---- here
//   why: `SMS` is rounded down to whole clusters and ranks are counted from their size: `cluster` comes before the roles, and before what reads `SMS`
//   fix (manual): state `cluster` first
