// mode: check
program p target sm_80
dim N in 8..=64
param N in {4, 128} = 4
in x: f32[N]
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1055]: `N` has the range 4..=4, which is empty or does not fit i32
//   --> fail_dim_outside_param.cake:4:7
//    4 | param N in {4, 128} = 4
//      |       ^
//    3 | dim N in 8..=64
//      |     - the dim's range
//   why: a dim is an i32 of at least 0
