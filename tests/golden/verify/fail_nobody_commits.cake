// mode: gates
program p target sm_80
dim N in 1..=10000
in x: f32[32*N]
out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[3] { values: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire tiles@k
      st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
    }
  }
  role drain: warps 1 {
    for k in 0..N {
      wait tiles@k
      st y[32*k + lane] <- ld tiles.values@k[31 - lane]
      release tiles@k
    }
  }
}
//--- expected
// error[CK3116]: ring `tiles` is waited for, and no role commits it
//   --> fail_nobody_commits.cake:8:8
//    8 |   ring tiles[3] { values: f32[32] } from fill to drain
//      |        ^^^^^
//   why: a slot is full when the roles behind `from` have committed it
