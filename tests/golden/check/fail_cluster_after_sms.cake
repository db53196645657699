// mode: check
program p target sm_90
dim N in 1..=64
out y: f32[N]
kernel run {
  grid (SMS)
  cluster 2
  role main: warps 1 { for i in cta*32 + lane .. N step ctas*32 { st y[i] <- 0.0 } }
}
//--- expected
// error[CK1421]: `cluster` stands behind a use of `SMS`
//   --> fail_cluster_after_sms.cake:7:3
//    7 |   cluster 2
//      |   ^^^^^^^^^
//    6 |   grid (SMS)
//      |         --- here
//   why: `SMS` is rounded down to whole clusters and ranks are counted from their size: `cluster` comes before the roles, and before what reads `SMS`
//   fix (manual): state `cluster` first
