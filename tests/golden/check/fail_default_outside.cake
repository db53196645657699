// mode: check
program p target sm_80
dim N in 1..=8
param A in {1, 2} = 3
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1061]: the default of `A` is 3, outside its domain
//   --> fail_default_outside.cake:4:21
//    4 | param A in {1, 2} = 3
//      |                     ^
//   why: the default is the member that `check` looks at
