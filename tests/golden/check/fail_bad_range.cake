// mode: check
program p target sm_80
dim N in 8..=4
in x: f32[N]
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1055]: `N` has the range 8..=4, which is empty or does not fit i32
//   --> fail_bad_range.cake:3:10
//    3 | dim N in 8..=4
//      |          ^^^^^
//   why: a dim is an i32 of at least 0
