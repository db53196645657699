// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  smem s: f32[8, 64] padded 0
  role main: warps 4 {
    sync warp
  }
}
//--- expected
// error[CK1099]: a padding of 0 elements
//   --> fail_padding_amount.cake:9:22
//    9 |   smem s: f32[8, 64] padded 0
//      |                      ^^^^^^^^
//   why: padding lengthens each row by at least one element
