// mode: parse
dim N in 1..=8
in x: f32[N]
program p target sm_90a
kernel k { grid (1); role main: warps 1 { lett a = 1 } }
//--- expected
// error[CK0048]: `dim` stands before the first `program`
//   --> fail_item_before_program.cake:2:1
//    2 | dim N in 1..=8
//      | ^^^
//   why: a source is one or more `program NAME target ARCH` with their items
//
// error[CK0020]: `lett` begins no statement and names no instruction
//   --> fail_item_before_program.cake:5:43
//    5 | kernel k { grid (1); role main: warps 1 { lett a = 1 } }
//      |                                           ^^^^
//   fix (maybe): write `let`
//     5:43: `lett` -> `let`
