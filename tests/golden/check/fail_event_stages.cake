// mode: check
program p target sm_90a
out y: f32[32]
kernel k {
  grid (1)
  smem t: f32[32]
  event e[0] count 1
  ring r[-1] { a: f32[32] } from one to two
  role one: warps 1 {
    for k in 0..4 {
      arrive e@k
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1131]: `e` has 0 stages
//   --> fail_event_stages.cake:7:11
//    7 |   event e[0] count 1
//      |           ^
//   why: a ring or event has at least one stage
//
// error[CK1131]: `r` has -1 stages
//   --> fail_event_stages.cake:8:10
//    8 |   ring r[-1] { a: f32[32] } from one to two
//      |          ^^
//   why: a ring or event has at least one stage
