// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (N)
  role main: warps 1 {
    if lane == 0 {
      st y[0] <- 1.0
//--- expected
// error[CK0041]: `{` is never closed
//   --> fail_unclosed_block.cake:9:18
//    9 |     if lane == 0 {
//      |                  ^
