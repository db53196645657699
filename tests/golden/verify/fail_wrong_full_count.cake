// mode: gates
program p target sm_80
dim N in 1..=10000
in x: f32[32*N]
out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[3] { values: f32[32] } from fill to drain full 2
  role fill: warps 1 {
    for k in 0..N {
      acquire tiles@k
      st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
      commit tiles@k
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
// error[CK3115]: ring `tiles` declares `full 2`; its roles arrive 1 times a use
//   --> fail_wrong_full_count.cake:8:8
//    8 |   ring tiles[3] { values: f32[32] } from fill to drain full 2
//      |        ^^^^^
//   why: an mbarrier completes a generation at exactly its count of arrivals
//   fix (machine): declare 1
//     8:61: `2` -> `1`
