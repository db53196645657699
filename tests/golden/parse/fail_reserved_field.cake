// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  ring r[2] { T: f32[4]; rows: f32[4]; x: f32[4] } from a to b
  grid (N)
}
//--- expected
// error[CK0054]: `T` cannot name a field
//   --> fail_reserved_field.cake:7:15
//    7 |   ring r[2] { T: f32[4]; rows: f32[4]; x: f32[4] } from a to b
//      |               ^
//   why: T, row, col, rows and cols follow any view or fragment after a point
//
// error[CK0054]: `rows` cannot name a field
//   --> fail_reserved_field.cake:7:26
//    7 |   ring r[2] { T: f32[4]; rows: f32[4]; x: f32[4] } from a to b
//      |                          ^^^^
//   why: T, row, col, rows and cols follow any view or fragment after a point
