// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 1 let b = 2
    if a > 0 { } let c = 3
    st y[a] <- 1.0 please
    let d = 4
  }
}
//--- expected
// error[CK0016]: expected the end of the statement, found `let`
//   --> fail_expected_end.cake:9:15
//    9 |     let a = 1 let b = 2
//      |               ^^^
//   why: statements are separated by a line break or `;`
//
// error[CK0016]: expected the end of the statement, found `let`
//   --> fail_expected_end.cake:10:18
//   10 |     if a > 0 { } let c = 3
//      |                  ^^^
//   why: statements are separated by a line break or `;`
//
// error[CK0016]: expected the end of the statement, found `please`
//   --> fail_expected_end.cake:11:20
//   11 |     st y[a] <- 1.0 please
//      |                    ^^^^^^
//   why: statements are separated by a line break or `;`
