// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    sycn role
    str y[lane] <- 1.0
    wgmma.comit
    fro i in 0..4 { lett q = i }
    frobnicate y
    let d = 4
  }
}
//--- expected
// error[CK0020]: `sycn` begins no statement and names no instruction
//   --> fail_unknown_statement.cake:9:5
//    9 |     sycn role
//      |     ^^^^
//   fix (maybe): write `sync`
//     9:5: `sycn` -> `sync`
//
// error[CK0020]: `str` begins no statement and names no instruction
//   --> fail_unknown_statement.cake:10:5
//   10 |     str y[lane] <- 1.0
//      |     ^^^
//   fix (maybe): write `st`
//     10:5: `str` -> `st`
//
// error[CK0023]: `comit` is no modifier of `wgmma`
//   --> fail_unknown_statement.cake:11:11
//   11 |     wgmma.comit
//      |           ^^^^^
//   fix (maybe): write `wgmma.commit`
//     11:5: `wgmma.comit` -> `wgmma.commit`
//
// error[CK0020]: `fro` begins no statement and names no instruction
//   --> fail_unknown_statement.cake:12:5
//   12 |     fro i in 0..4 { lett q = i }
//      |     ^^^
//   fix (maybe): write `for`
//     12:5: `fro` -> `for`
//
// error[CK0020]: `lett` begins no statement and names no instruction
//   --> fail_unknown_statement.cake:12:21
//   12 |     fro i in 0..4 { lett q = i }
//      |                     ^^^^
//   fix (maybe): write `let`
//     12:21: `lett` -> `let`
//
// error[CK0020]: `frobnicate` begins no statement and names no instruction
//   --> fail_unknown_statement.cake:13:5
//   13 |     frobnicate y
//      |     ^^^^^^^^^^
