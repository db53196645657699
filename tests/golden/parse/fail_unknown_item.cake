// mode: parse
program p target sm_90a
dimm N in 1..=8
int x: f32[N]
kernal k {
  grid (N)
  role main: warps 1 { lett a = 1 }
}
foo bar
*
//--- expected
// error[CK0021]: `dimm` begins no item of a program
//   --> fail_unknown_item.cake:3:1
//    3 | dimm N in 1..=8
//      | ^^^^
//   why: items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel
//   fix (maybe): write `dim`
//     3:1: `dimm` -> `dim`
//
// error[CK0021]: `int` begins no item of a program
//   --> fail_unknown_item.cake:4:1
//    4 | int x: f32[N]
//      | ^^^
//   why: items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel
//   fix (maybe): write `in`
//     4:1: `int` -> `in`
//
// error[CK0021]: `kernal` begins no item of a program
//   --> fail_unknown_item.cake:5:1
//    5 | kernal k {
//      | ^^^^^^
//   why: items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel
//   fix (maybe): write `kernel`
//     5:1: `kernal` -> `kernel`
//
// error[CK0020]: `lett` begins no statement and names no instruction
//   --> fail_unknown_item.cake:7:24
//    7 |   role main: warps 1 { lett a = 1 }
//      |                        ^^^^
//   fix (maybe): write `let`
//     7:24: `lett` -> `let`
//
// error[CK0021]: `foo` begins no item of a program
//   --> fail_unknown_item.cake:9:1
//    9 | foo bar
//      | ^^^
//   why: items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel
//
// error[CK0021]: `*` begins no item of a program
//   --> fail_unknown_item.cake:10:1
//   10 | *
//      | ^
//   why: items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel
