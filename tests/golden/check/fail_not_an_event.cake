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
      wait t@k
      arrive t
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1120]: `wait` takes no `t`
//   --> fail_not_an_event.cake:11:12
//   11 |       wait t@k
//      |            ^^^
//    6 |   smem t: f32[32]
//      |        - declared here
//   why: `acquire`, `commit` and `release` name a use of a ring; `arrive` and `expect` one of an event; `wait` and `test` one of either
//
// error[CK1120]: `arrive` takes no `t`
//   --> fail_not_an_event.cake:12:14
//   12 |       arrive t
//      |              ^
//    6 |   smem t: f32[32]
//      |        - declared here
//   why: `acquire`, `commit` and `release` name a use of a ring; `arrive` and `expect` one of an event; `wait` and `test` one of either
