// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a
  }
}
//--- expected
// error[CK1070]: `a` has neither type nor value
//   --> fail_type_or_value.cake:10:9
//   10 |     var a
//      |         ^
//   why: the type of a variable is written or comes from its value
