// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = ; let b = max(1, ); let c = 2
  }
}
//--- expected
// error[CK0013]: expected an expression before the end of the line
//   --> fail_expected_expression_at_end.cake:9:12
//    9 |     let a = ; let b = max(1, ); let c = 2
//      |            ^
//   why: a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`
//
// error[CK0012]: expected an expression, found `)`
//   --> fail_expected_expression_at_end.cake:9:30
//    9 |     let a = ; let b = max(1, ); let c = 2
//      |                              ^
