// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld x[scale, 0]
    for i in 0.0..1.0 { }
  }
}
//--- expected
// error[CK1025]: an integer is needed, `f32` found
//   --> fail_integer_needed.cake:10:18
//   10 |     let a = ld x[scale, 0]
//      |                  ^^^^^
//   why: indices, bounds and counts are integers
//
// error[CK1025]: an integer is needed, `f32` found
//   --> fail_integer_needed.cake:11:14
//   11 |     for i in 0.0..1.0 { }
//      |              ^^^
//   why: indices, bounds and counts are integers
//
// error[CK1025]: an integer is needed, `f32` found
//   --> fail_integer_needed.cake:11:19
//   11 |     for i in 0.0..1.0 { }
//      |                   ^^^
//   why: indices, bounds and counts are integers
