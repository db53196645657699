// mode: check
program p target sm_80
arg s: f32
in x: f32[s]
kernel k { grid (1); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1058]: this must be an integer known at launch
//   --> fail_not_launch_integer.cake:4:11
//    4 | in x: f32[s]
//      |           ^
//   why: the host computes shapes, strides and grids from dims, args and constants
