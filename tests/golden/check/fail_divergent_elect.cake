// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    elect { sync warp }
    if lane < 4 { elect { st y[0, 0] <- 0.0 } }
    if warp == 1 { once { st y[0, 0] <- 0.0 } }
  }
}
//--- expected
// error[CK1110]: `sync warp` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_elect.cake:10:13
//   10 |     elect { sync warp }
//      |             ^^^^^^^^^
//   10 |     elect { sync warp }
//      |     ----- one thread runs this block
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
//
// error[CK1110]: `elect` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_elect.cake:11:19
//   11 |     if lane < 4 { elect { st y[0, 0] <- 0.0 } }
//      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     if lane < 4 { elect { st y[0, 0] <- 0.0 } }
//      |        -------- this condition is lane level
//   11 |     if lane < 4 { elect { st y[0, 0] <- 0.0 } }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
//
// error[CK1110]: `once` needs every thread of its `role`; control here is `warp` level
//   --> fail_divergent_elect.cake:12:20
//   12 |     if warp == 1 { once { st y[0, 0] <- 0.0 } }
//      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^
//   12 |     if warp == 1 { once { st y[0, 0] <- 0.0 } }
//      |        --------- this condition is warp level
//   12 |     if warp == 1 { once { st y[0, 0] <- 0.0 } }
//      |        ---- this is warp level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
