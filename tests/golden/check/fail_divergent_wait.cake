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
      if lane < 16 { wait e@k }
      wait e@lane
      arrive.thread e@lane
      elect { wait e@k }
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1110]: `wait` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_wait.cake:11:22
//   11 |       if lane < 16 { wait e@k }
//      |                      ^^^^^^^^
//   11 |       if lane < 16 { wait e@k }
//      |          --------- this condition is lane level
//   11 |       if lane < 16 { wait e@k }
//      |          ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
//
// error[CK1111]: `wait` is one operation of a `warp`; this index is `lane` level
//   --> fail_divergent_wait.cake:12:14
//   12 |       wait e@lane
//      |              ^^^^
//   why: threads that execute one operation together name one place
//
// error[CK1111]: `arrive.thread` is one operation of a `warp`; this index is `lane` level
//   --> fail_divergent_wait.cake:13:23
//   13 |       arrive.thread e@lane
//      |                       ^^^^
//   why: threads that execute one operation together name one place
//
// error[CK1110]: `wait` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_wait.cake:14:15
//   14 |       elect { wait e@k }
//      |               ^^^^^^^^
//   14 |       elect { wait e@k }
//      |       ----- one thread runs this block
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
