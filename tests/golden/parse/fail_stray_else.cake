// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 1
    else { lett b = 2 }
    let c = 3
    if c > 0 { } els { }
  }
}
//--- expected
// error[CK0059]: `else` follows no `if`
//   --> fail_stray_else.cake:10:5
//   10 |     else { lett b = 2 }
//      |     ^^^^
//
// error[CK0020]: `lett` begins no statement and names no instruction
//   --> fail_stray_else.cake:10:12
//   10 |     else { lett b = 2 }
//      |            ^^^^
//   fix (maybe): write `let`
//     10:12: `lett` -> `let`
//
// error[CK0016]: expected the end of the statement, found `els`
//   --> fail_stray_else.cake:12:18
//   12 |     if c > 0 { } els { }
//      |                  ^^^
//   why: statements are separated by a line break or `;`
//   fix (maybe): write `else`
//     12:18: `els` -> `else`
