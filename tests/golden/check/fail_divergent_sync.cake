// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    if lane < 4 { sync warp }
    if warp == 0 { sync role }
  }
}
//--- expected
// error[CK1110]: `sync warp` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_sync.cake:10:19
//   10 |     if lane < 4 { sync warp }
//      |                   ^^^^^^^^^
//   10 |     if lane < 4 { sync warp }
//      |        -------- this condition is lane level
//   10 |     if lane < 4 { sync warp }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
//
// error[CK1110]: `sync role` needs every thread of its `role`; control here is `warp` level
//   --> fail_divergent_sync.cake:11:20
//   11 |     if warp == 0 { sync role }
//      |                    ^^^^^^^^^
//   11 |     if warp == 0 { sync role }
//      |        --------- this condition is warp level
//   11 |     if warp == 0 { sync role }
//      |        ---- this is warp level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
