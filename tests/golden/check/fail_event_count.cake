// mode: check
program p target sm_90a
out y: f32[32]
kernel k {
  grid (1)
  smem t: f32[32]
  event e[2] count 0
  ring r[2] { a: f32[32] } from one to two full 2000000
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
// error[CK1126]: `e` counts 0 arrivals, outside 1..=1048575
//   --> fail_event_count.cake:7:20
//    7 |   event e[2] count 0
//      |                    ^
//   why: PTX ISA, mbarrier: the expected arrival count is a positive number of 20 bits
//
// error[CK1126]: `r` counts 2000000 arrivals, outside 1..=1048575
//   --> fail_event_count.cake:8:49
//    8 |   ring r[2] { a: f32[32] } from one to two full 2000000
//      |                                                 ^^^^^^^
//   why: PTX ISA, mbarrier: the expected arrival count is a positive number of 20 bits
