// mode: gates
program p target sm_80
dim N in 4..=100
out y: f32[64*N]
kernel k {
  grid (1)
  ring tiles[2] { values: f32[64] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire tiles@k
      for h in 0..2 { st tiles.values@k[32*h + lane] <- 1.0 }
      commit tiles@k
    }
  }
  role drain: warps 2 {
    for k in 0..N {
      wait tiles@k
      st y[64*k + thread] <- ld tiles.values@k[thread]
      if warp == 0 { release tiles@k }
    }
  }
}
//--- expected
// error[CK3114]: not all warps of role `drain` release ring `tiles`, and the ring does not say how many do
//   --> fail_some_warps_release.cake:7:8
//    7 |   ring tiles[2] { values: f32[64] } from fill to drain
//      |        ^^^^^
//   why: an mbarrier counts arrivals; how many warps take this way is known where the program runs
//   fix (manual): say `empty n` at the end of the ring
