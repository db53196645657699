// mode: parse
progam p target sm_90a
dimm N in 1..=8
//--- expected
// error[CK0048]: `progam` stands before the first `program`
//   --> fail_misspelt_program.cake:2:1
//    2 | progam p target sm_90a
//      | ^^^^^^
//   why: a source is one or more `program NAME target ARCH` with their items
//   fix (maybe): write `program`
//     2:1: `progam` -> `program`
//
// error[CK0021]: `dimm` begins no item of a program
//   --> fail_misspelt_program.cake:3:1
//    3 | dimm N in 1..=8
//      | ^^^^
//   why: items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel
//   fix (maybe): write `dim`
//     3:1: `dimm` -> `dim`
