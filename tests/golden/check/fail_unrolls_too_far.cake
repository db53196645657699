// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32[1024] = 0.0
    for i in 0..1024 { for j in 0..1024 { a[i] = a[j] } }
  }
}
//--- expected
// error[CK6105]: the kernel unrolls to 2098177 statements; the limit is 131072
//   --> fail_unrolls_too_far.cake:7:8
//    7 | kernel k {
//      |        ^
//   why: loops over registers are unrolled in full
