// mode: check
program p target sm_80
dim N in 1..=8
param A in 1..=N = 2
param B in {1, A} = 1
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1060]: the domain or default of `A` is no integer constant
//   --> fail_domain_not_constant.cake:4:12
//    4 | param A in 1..=N = 2
//      |            ^^^^^
//   why: a domain is fixed before any member exists: literals, consts and arithmetic of them, no params
//
// error[CK1060]: the domain or default of `B` is no integer constant
//   --> fail_domain_not_constant.cake:5:16
//    5 | param B in {1, A} = 1
//      |                ^
//   why: a domain is fixed before any member exists: literals, consts and arithmetic of them, no params
