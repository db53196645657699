// mode: check
program p target sm_90a
out y: f32[32]
kernel k {
  grid (1)
  smem t: f32[32]
  event e[2] count 1
  ring r[2] { a: f32[32] } from one to two
  role one: warps 1 {
    for k in 0..4 {
      arrive e@k at 1
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1422]: `at` in a kernel without `cluster`
//   --> fail_remote_event.cake:11:14
//   11 |       arrive e@k at 1
//      |              ^^^^^^^^
//   why: CTAs reach each other's shared memory only inside a cluster, which the launch forms
//   fix (manual): say `cluster 2` at the beginning of the kernel
