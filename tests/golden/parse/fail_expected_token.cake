// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a 1
    for i on 0..4 { }
    let b = max(1 2)
    let c = 3
  }
}
//--- expected
// error[CK0010]: expected `=`, found `1`
//   --> fail_expected_token.cake:9:11
//    9 |     let a 1
//      |           ^
//
// error[CK0010]: expected `in`, found `on`
//   --> fail_expected_token.cake:10:11
//   10 |     for i on 0..4 { }
//      |           ^^
//
// error[CK0010]: expected `)`, found `2`
//   --> fail_expected_token.cake:11:19
//   11 |     let b = max(1 2)
//      |                   ^
