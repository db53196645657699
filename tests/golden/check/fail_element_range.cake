// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32[4] = 0.0
    a[4] = 1.0
    let b = a[-1]
  }
}
//--- expected
// error[CK1024]: element 4 of an array of 4
//   --> fail_element_range.cake:11:7
//   11 |     a[4] = 1.0
//      |       ^
//   why: indices of arrays are checked when they are constants, before anything runs
//
// error[CK1024]: element -1 of an array of 4
//   --> fail_element_range.cake:12:15
//   12 |     let b = a[-1]
//      |               ^^
//   why: indices of arrays are checked when they are constants, before anything runs
