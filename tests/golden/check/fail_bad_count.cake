// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  smem s[0]: f32[64]
  barrier b[0] threads 128
  role main: warps 4 {
    sync warp
  }
}
//--- expected
// error[CK1100]: `s` is declared 0 times
//   --> fail_bad_count.cake:9:10
//    9 |   smem s[0]: f32[64]
//      |          ^
//   why: stages and arrays are at least 1
//
// error[CK1100]: `b` is declared 0 times
//   --> fail_bad_count.cake:10:13
//   10 |   barrier b[0] threads 128
//      |             ^
//   why: stages and arrays are at least 1
