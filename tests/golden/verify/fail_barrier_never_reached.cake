// mode: gates
program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  barrier full threads 96
  role load: warps 1 { bar.arrive full }
  role math: warps 1 {
    bar.sync full
    if lane < N { st y[lane] <- 1.0 }
  }
}
//--- expected
// error[CK3105]: barrier `full` counts 96 threads; the CTA has 64
//   --> fail_barrier_never_reached.cake:7:11
//    7 |   barrier full threads 96
//      |           ^^^^
//   why: an arrival count that the CTA cannot reach never completes
