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
      let wide = cvt.i64(k)
      arrive e@wide
      arrive e@1.5
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK0010]: expected `(`, found `1.5`
//   --> fail_use_type.cake:13:16
//   13 |       arrive e@1.5
//      |                ^^^
//
// error[CK1127]: a use index of type `i64`
//   --> fail_use_type.cake:12:16
//   12 |       arrive e@wide
//      |                ^^^^
//   why: uses are counted in i32
