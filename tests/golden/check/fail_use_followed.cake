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
      wait r@k.a
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1130]: `r` at a use is followed by something
//   --> fail_use_followed.cake:11:12
//   11 |       wait r@k.a
//      |            ^^^^^
//   why: a use of a ring or event is whole: `R@k`; its fields are memory: `R.field@k[..]`
