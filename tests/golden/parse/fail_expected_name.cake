// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let 5 = 1
    let a = x.5
    for (i, 3) in x { }
    let b: 32 = 1
  }
}
//--- expected
// error[CK0014]: expected a name, found `5`
//   --> fail_expected_name.cake:9:9
//    9 |     let 5 = 1
//      |         ^
//
// error[CK0014]: expected a name, found `5`
//   --> fail_expected_name.cake:10:15
//   10 |     let a = x.5
//      |               ^
//
// error[CK0014]: expected a name, found `3`
//   --> fail_expected_name.cake:11:13
//   11 |     for (i, 3) in x { }
//      |             ^
//
// error[CK0014]: expected a name, found `32`
//   --> fail_expected_name.cake:12:12
//   12 |     let b: 32 = 1
//      |            ^^
