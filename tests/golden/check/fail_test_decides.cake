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
      if test(e@k) { arrive e@k }
      while !test(e@k) {}
      let done = test(e@k)
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1032]: `test outside a loop that only waits` is not in this build
//   --> fail_test_decides.cake:11:10
//   11 |       if test(e@k) { arrive e@k }
//      |          ^^^^^^^^^
//   why: the language has it; no part of this build runs it
//
// error[CK1032]: `test outside a loop that only waits` is not in this build
//   --> fail_test_decides.cake:13:18
//   13 |       let done = test(e@k)
//      |                  ^^^^^^^^^
//   why: the language has it; no part of this build runs it
