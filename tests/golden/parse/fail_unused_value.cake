// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 1
    a + 1
    ld x[0]
    x[a]
    a == 2
    let b = 2
  }
}
//--- expected
// error[CK0034]: nothing uses this value
//   --> fail_unused_value.cake:10:5
//   10 |     a + 1
//      |     ^^^^^
//   why: a statement is an assignment, a call, an instruction or control flow
//
// error[CK0034]: nothing uses this value
//   --> fail_unused_value.cake:11:5
//   11 |     ld x[0]
//      |     ^^^^^^^
//   why: a statement is an assignment, a call, an instruction or control flow
//
// error[CK0034]: nothing uses this value
//   --> fail_unused_value.cake:12:5
//   12 |     x[a]
//      |     ^^^^
//   why: a statement is an assignment, a call, an instruction or control flow
//
// error[CK0034]: nothing uses this value
//   --> fail_unused_value.cake:13:5
//   13 |     a == 2
//      |     ^^^^^^
//   why: a statement is an assignment, a call, an instruction or control flow
