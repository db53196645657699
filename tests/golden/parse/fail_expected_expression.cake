// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 1 + * 2
    let b = )
    let c = 3
  }
}
//--- expected
// error[CK0012]: expected an expression, found `*`
//   --> fail_expected_expression.cake:9:17
//    9 |     let a = 1 + * 2
//      |                 ^
//
// error[CK0012]: expected an expression, found `)`
//   --> fail_expected_expression.cake:10:13
//   10 |     let b = )
//      |             ^
