// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  let rows = ld idx[0]
  let tiles = ceildiv(rows, 4)
  grid (tiles)
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK1101]: `ld` comes from the device
//   --> fail_not_hosted.cake:10:9
//   10 |   grid (tiles)
//      |         ^^^^^
//    8 |   let rows = ld idx[0]
//      |              --------- read here
//   why: the host computes grids before any thread runs
