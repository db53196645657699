// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 12abc
    let b = 0x
    let c = 0b12
    let d = 1.f
    let e = 0b101 + 0xff + 1_000
  }
}
//--- expected
// error[CK0003]: `12abc` is not a number
//   --> fail_malformed_number.cake:9:13
//    9 |     let a = 12abc
//      |             ^^^^^
//   why: numbers are `12`, `0xff`, `0b101`, `1_000`, `1.0` and `1e-6`; a digit follows the point and no letter follows the number: types are written with `cvt` or on the declaration
//
// error[CK0003]: `0x` is not a number
//   --> fail_malformed_number.cake:10:13
//   10 |     let b = 0x
//      |             ^^
//   why: numbers are `12`, `0xff`, `0b101`, `1_000`, `1.0` and `1e-6`; a digit follows the point and no letter follows the number: types are written with `cvt` or on the declaration
//
// error[CK0003]: `0b12` is not a number
//   --> fail_malformed_number.cake:11:13
//   11 |     let c = 0b12
//      |             ^^^^
//   why: numbers are `12`, `0xff`, `0b101`, `1_000`, `1.0` and `1e-6`; a digit follows the point and no letter follows the number: types are written with `cvt` or on the declaration
//
// error[CK0003]: `1.f` is not a number
//   --> fail_malformed_number.cake:12:13
//   12 |     let d = 1.f
//      |             ^^^
//   why: numbers are `12`, `0xff`, `0b101`, `1_000`, `1.0` and `1e-6`; a digit follows the point and no letter follows the number: types are written with `cvt` or on the declaration
