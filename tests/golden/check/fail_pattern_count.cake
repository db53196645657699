// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn two() -> (i32, i32) { return lane, 1 }
    let (a, b, c) = two()
    let (d, e) = lane
  }
}
//--- expected
// error[CK1042]: 3 names for 2 values
//   --> fail_pattern_count.cake:11:5
//   11 |     let (a, b, c) = two()
//      |     ^^^^^^^^^^^^^^^^^^^^^
//   why: a pattern names each value
//
// error[CK1042]: 2 names for 1 values
//   --> fail_pattern_count.cake:12:5
//   12 |     let (d, e) = lane
//      |     ^^^^^^^^^^^^^^^^^
//   why: a pattern names each value
