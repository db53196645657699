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
      arrive r@k
      expect r@k
      arrive.thread r@k
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1123]: `arrive` of ring `r`, whose slots are handed over
//   --> fail_event_verb_of_ring.cake:11:14
//   11 |       arrive r@k
//      |              ^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals of a ring are `commit` by the roles behind `from` and `release` by those behind `to`
//
// error[CK1123]: `expect` of ring `r`, whose slots are handed over
//   --> fail_event_verb_of_ring.cake:12:14
//   12 |       expect r@k
//      |              ^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals of a ring are `commit` by the roles behind `from` and `release` by those behind `to`
//
// error[CK1123]: `arrive.thread` of ring `r`, whose slots are handed over
//   --> fail_event_verb_of_ring.cake:13:21
//   13 |       arrive.thread r@k
//      |                     ^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals of a ring are `commit` by the roles behind `from` and `release` by those behind `to`
