// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = scale[0]
    let b = lane.x
  }
}
//--- expected
// error[CK1022]: `scale` has nothing to index, call or select
//   --> fail_no_postfix.cake:10:13
//   10 |     let a = scale[0]
//      |             ^^^^^^^^
//   why: it is one number
//
// error[CK1027]: built-in `lane` cannot be used like this
//   --> fail_no_postfix.cake:11:13
//   11 |     let b = lane.x
//      |             ^^^^
//   why: built-in values are numbers, built-in functions are called; neither is memory or a loop
