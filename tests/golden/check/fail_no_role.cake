// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
}
//--- expected
// error[CK1095]: kernel `k` has no role
//   --> fail_no_role.cake:7:8
//    7 | kernel k {
//      |        ^
//   why: code runs in roles; the simplest kernel has one
