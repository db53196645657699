// mode: check
program p target sm_100a
out y: i32[64]
kernel k {
  cluster 2
  grid (64)
  smem answer: u64[2]
  event told[1] count 1
  role main: warps 1 {
    clc.try_cancel answer on told@0 multicast 1
    expect told@0 bytes 16
    wait told@0
  }
}
//--- expected
// error[CK1481]: `clc.try_cancel` with a `multicast` that is not the constant 3
//   --> fail_clc_multicast.cake:10:47
//   10 |     clc.try_cancel answer on told@0 multicast 1
//      |                                               ^
//   why: PTX ISA, clusterlaunchcontrol.try_cancel .multicast::cluster::all: the answer goes to every CTA of the cluster or to the one that asks
//   fix (maybe): name every CTA
//     10:47: `1` -> `3`
