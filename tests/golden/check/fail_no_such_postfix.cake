// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld x.y[0, 0]
  }
}
//--- expected
// error[CK1069]: `x` cannot be followed by this
//   --> fail_no_such_postfix.cake:10:17
//   10 |     let a = ld x.y[0, 0]
//      |                 ^^
//   why: a view is a name, a field, `@k`, indices and `.T`, in this order
