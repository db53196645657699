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
// error[CK1032]: `at` is not in this build
//   --> fail_remote_event.cake:11:14
//   11 |       arrive e@k at 1
//      |              ^^^^^^^^
//   why: the language has it; no part of this build runs it
