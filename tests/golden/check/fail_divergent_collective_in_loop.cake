// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var i = 0
    while i < lane {
      let t = lanes.sum(scale, 32)
      i += 1
    }
  }
}
//--- expected
// error[CK1110]: `lanes.sum` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_collective_in_loop.cake:12:15
//   12 |       let t = lanes.sum(scale, 32)
//      |               ^^^^^^^^^^^^^^^^^^^^
//   11 |     while i < lane {
//      |           -------- this condition is lane level
//   11 |     while i < lane {
//      |               ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
