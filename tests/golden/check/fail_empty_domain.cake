// mode: check
program p target sm_80
dim N in 1..=8
param A in 4..4 = 4
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1062]: the domain of `A` is empty
//   --> fail_empty_domain.cake:4:7
//    4 | param A in 4..4 = 4
//      |       ^
//   why: a family has at least one member
