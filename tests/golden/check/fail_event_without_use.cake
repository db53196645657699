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
      wait e
      if k > 0 { acquire r }
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1121]: `e` is named without saying which use
//   --> fail_event_without_use.cake:11:12
//   11 |       wait e
//      |            ^
//   why: `@k` is use number k: stage k modulo the stages, generation k divided by them
//
// error[CK1121]: `r` is named without saying which use
//   --> fail_event_without_use.cake:12:26
//   12 |       if k > 0 { acquire r }
//      |                          ^
//   why: `@k` is use number k: stage k modulo the stages, generation k divided by them
