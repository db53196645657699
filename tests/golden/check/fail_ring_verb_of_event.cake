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
      acquire e@k
      commit e@k
      release e@k
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1122]: `acquire` of event `e`, which has no slots
//   --> fail_ring_verb_of_event.cake:11:15
//   11 |       acquire e@k
//      |               ^^^
//    7 |   event e[2] count 1
//      |         - declared here
//   why: a ring hands slots over and back; an event only counts arrivals
//
// error[CK1122]: `commit` of event `e`, which has no slots
//   --> fail_ring_verb_of_event.cake:12:14
//   12 |       commit e@k
//      |              ^^^
//    7 |   event e[2] count 1
//      |         - declared here
//   why: a ring hands slots over and back; an event only counts arrivals
//
// error[CK1122]: `release` of event `e`, which has no slots
//   --> fail_ring_verb_of_event.cake:13:15
//   13 |       release e@k
//      |               ^^^
//    7 |   event e[2] count 1
//      |         - declared here
//   why: a ring hands slots over and back; an event only counts arrivals
