// mode: check
program p target sm_80
dim N in 8..=64
in x: f32[N]
alias x, N
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1057]: `N` is no tensor
//   --> fail_alias_of_no_tensor.cake:5:10
//    5 | alias x, N
//      |          ^
//   why: `alias` names two tensors that may overlap
