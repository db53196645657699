// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  let a = lane + 1
  grid (N)
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK1020]: `lane` has a value only inside a role
//   --> fail_only_in_role.cake:8:11
//    8 |   let a = lane + 1
//      |           ^^^^
//   why: lanes, warps and threads are numbered within their role
