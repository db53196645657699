// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    for i in lane { }
    for j in scale { }
  }
}
//--- expected
// error[CK1027]: built-in `lane` cannot be used like this
//   --> fail_not_iterable.cake:10:14
//   10 |     for i in lane { }
//      |              ^^^^
//   why: built-in values are numbers, built-in functions are called; neither is memory or a loop
//
// error[CK1043]: `scale` cannot be looped over
//   --> fail_not_iterable.cake:11:14
//   11 |     for j in scale { }
//      |              ^^^^^
//   why: a loop runs over a range, a call of an iter, or a fragment
