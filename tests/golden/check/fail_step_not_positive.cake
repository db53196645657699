// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    for i in 0..8 step 0 { }
    for j in 0..8 step -1 { }
  }
}
//--- expected
// error[CK1044]: the step of a loop is at least 1
//   --> fail_step_not_positive.cake:10:24
//   10 |     for i in 0..8 step 0 { }
//      |                        ^
//   why: the number of trips is fixed at entry
//
// error[CK1044]: the step of a loop is at least 1
//   --> fail_step_not_positive.cake:11:24
//   11 |     for j in 0..8 step -1 { }
//      |                        ^^
//   why: the number of trips is fixed at entry
