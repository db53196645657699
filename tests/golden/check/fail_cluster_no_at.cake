// mode: check
program p target sm_90
in x: f32[64, 32]
out y: f32[64, 32]
kernel run {
  cluster 2
  grid (2)
  smem s: f32[16, 32]
  ring tiles[2] { v: f32[32] } from main to main
  event e[1] count 1
  role main: warps 1 {
    tma.load s at 1 <- x[0:+16, :] on e@0
    cp.async s[0, lane] at 1 <- x[0, lane]
    wait e@0 at 1
    acquire tiles@0 at 1
    st y[cta, lane] <- ld x[cta, lane] at 1
  }
}
//--- expected
// error[CK1424]: `tma.load` takes no `at`: copies beside the thread stay in its CTA, but for loads with `multicast`
//   --> fail_cluster_no_at.cake:12:14
//   12 |     tma.load s at 1 <- x[0:+16, :] on e@0
//      |              ^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
//
// error[CK1424]: `cp.async` takes no `at`: copies beside the thread stay in its CTA, but for loads with `multicast`
//   --> fail_cluster_no_at.cake:13:14
//   13 |     cp.async s[0, lane] at 1 <- x[0, lane]
//      |              ^^^^^^^^^^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
//
// error[CK1424]: `wait` takes no `at`: a CTA waits at its own mbarriers; others arrive there
//   --> fail_cluster_no_at.cake:14:10
//   14 |     wait e@0 at 1
//      |          ^^^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
//
// error[CK1424]: `acquire` takes no `at`: the slots of all CTAs are handed over together by `ring .. cluster`
//   --> fail_cluster_no_at.cake:15:13
//   15 |     acquire tiles@0 at 1
//      |             ^^^^^^^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
//
// error[CK1427]: `x` is in global memory, which has no ranks
//   --> fail_cluster_no_at.cake:16:27
//   16 |     st y[cta, lane] <- ld x[cta, lane] at 1
//      |                           ^^^^^^^^^^^^^^^^^
//   why: `at` names the shared memory of another CTA; global memory is the same for all
