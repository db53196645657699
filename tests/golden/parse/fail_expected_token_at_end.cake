// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a
    let b: i32 = 2
    let (c, d)
  }
}
//--- expected
// error[CK0011]: expected `=` before the end of the line
//   --> fail_expected_token_at_end.cake:9:10
//    9 |     let a
//      |          ^
//   why: a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`
//
// error[CK0011]: expected `=` before the end of the line
//   --> fail_expected_token_at_end.cake:11:15
//   11 |     let (c, d)
//      |               ^
//   why: a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`
