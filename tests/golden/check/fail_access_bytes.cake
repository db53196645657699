// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld x[cta, 0:+8]
    let b = ld h[cta, 0:+3]
  }
}
//--- expected
// error[CK1037]: an access of 32 bytes; a thread moves 1, 2, 4, 8 or 16
//   --> fail_access_bytes.cake:10:16
//   10 |     let a = ld x[cta, 0:+8]
//      |                ^^^^^^^^^^^^
//   why: the load and store instructions exist in these widths
//
// error[CK1037]: an access of 6 bytes; a thread moves 1, 2, 4, 8 or 16
//   --> fail_access_bytes.cake:11:16
//   11 |     let b = ld h[cta, 0:+3]
//      |                ^^^^^^^^^^^^
//   why: the load and store instructions exist in these widths
