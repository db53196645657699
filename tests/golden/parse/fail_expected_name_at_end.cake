// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let
    wait
    tma.store
    let a: = 1
    let b:
  }
}
//--- expected
// error[CK0015]: expected a name before the end of the line
//   --> fail_expected_name_at_end.cake:9:8
//    9 |     let
//      |        ^
//
// error[CK0015]: expected a name before the end of the line
//   --> fail_expected_name_at_end.cake:10:9
//   10 |     wait
//      |         ^
//
// error[CK0015]: expected a name before the end of the line
//   --> fail_expected_name_at_end.cake:11:14
//   11 |     tma.store
//      |              ^
//
// error[CK0014]: expected a name, found `=`
//   --> fail_expected_name_at_end.cake:12:12
//   12 |     let a: = 1
//      |            ^
//
// error[CK0015]: expected a name before the end of the line
//   --> fail_expected_name_at_end.cake:13:11
//   13 |     let b:
//      |           ^
