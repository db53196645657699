// mode: gates
program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  role a: warps 24 { if thread < N { st y[thread] <- 0.0 } }
  role b: warps 12 { sync warp }
}
//--- expected
// error[CK3101]: kernel `k` needs 1152 threads a CTA; sm_80 allows 1024
//   --> fail_threads_limit.cake:5:8
//    5 | kernel k {
//      |        ^
//   why: the hardware launches no larger CTA; warps are counted with the idle ones that align roles
