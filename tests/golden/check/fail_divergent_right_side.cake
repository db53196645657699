// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = lane < 4 && lanes.any(scale > 0.0)
  }
}
//--- expected
// error[CK1110]: `lanes.any` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_right_side.cake:10:25
//   10 |     let a = lane < 4 && lanes.any(scale > 0.0)
//      |                         ^^^^^^^^^^^^^^^^^^^^^^
//   10 |     let a = lane < 4 && lanes.any(scale > 0.0)
//      |             -------- this condition is lane level
//   10 |     let a = lane < 4 && lanes.any(scale > 0.0)
//      |             ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
