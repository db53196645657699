// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = 1
    if lane == 0 { let a = 2 }
    for n in 0..4 { }
  }
}
//--- expected
// error[CK1002]: `a` is already visible here
//   --> fail_name_taken.cake:11:24
//   11 |     if lane == 0 { let a = 2 }
//      |                        ^
//   10 |     let a = 1
//      |         - declared here
//   why: names are unique among the visible ones, so that each name means one thing
//
// error[CK1002]: `n` is already visible here
//   --> fail_name_taken.cake:12:9
//   12 |     for n in 0..4 { }
//      |         ^
//    6 | arg scale: f32, n: i32
//      |                 - declared here
//   why: names are unique among the visible ones, so that each name means one thing
