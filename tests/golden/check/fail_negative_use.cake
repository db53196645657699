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
      arrive e@(-1)
      wait e@(-1)
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1128]: `arrive` at use -1
//   --> fail_negative_use.cake:11:16
//   11 |       arrive e@(-1)
//      |                ^^^^
//   why: uses count from 0; a wait before the first passes, an arrival would count into the first
