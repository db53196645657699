// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 1
    if a > 0
      st y[0] <- 1.0
    for i in 0..4 st y[i] <- 1.0
    elect st y[0] <- 1.0
    if a > 1 { } else st y[0] <- 1.0
    let b = 2
  }
}
//--- expected
// error[CK0040]: expected `{` to open the body of `if`
//   --> fail_missing_block.cake:11:7
//   11 |       st y[0] <- 1.0
//      |       ^^
//   why: every body stands in braces, also a single statement
//
// error[CK0040]: expected `{` to open the body of `for`
//   --> fail_missing_block.cake:12:19
//   12 |     for i in 0..4 st y[i] <- 1.0
//      |                   ^^
//   why: every body stands in braces, also a single statement
//
// error[CK0040]: expected `{` to open the body of `elect`
//   --> fail_missing_block.cake:13:11
//   13 |     elect st y[0] <- 1.0
//      |           ^^
//   why: every body stands in braces, also a single statement
//
// error[CK0040]: expected `{` to open the body of `else`
//   --> fail_missing_block.cake:14:23
//   14 |     if a > 1 { } else st y[0] <- 1.0
//      |                       ^^
//   why: every body stands in braces, also a single statement
