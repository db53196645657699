// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    lanes.sum(scale, 32)
  }
}
//--- expected
// error[CK1074]: the value of `lanes.sum` is dropped
//   --> fail_value_dropped.cake:10:5
//   10 |     lanes.sum(scale, 32)
//      |     ^^^^^^^^^^^^^^^^^^^^
//   why: a call that stands alone is there for what it does
