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
      arrive e@k bytes 16
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      st y[lane] <- 0.0
    }
  }
}
//--- expected
// error[CK1129]: `arrive` takes no `bytes`
//   --> fail_bytes_not_here.cake:11:24
//   11 |       arrive e@k bytes 16
//      |                        ^^
//   why: only `expect` says how many bytes its arrival brings; `commit` counts the loads of its warp
