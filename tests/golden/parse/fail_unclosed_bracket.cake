// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = max(1, 2
    let b = ld x[lane
    let c = [1, 2
    let d = (1 + 2]
    let e = max(1,
        2)
    let f = min(1,
        2 3,
        4)
    let g = 7
  }
}
//--- expected
// error[CK0044]: `(` is not closed
//   --> fail_unclosed_bracket.cake:9:16
//    9 |     let a = max(1, 2
//      |                ^
//
// error[CK0044]: `[` is not closed
//   --> fail_unclosed_bracket.cake:10:17
//   10 |     let b = ld x[lane
//      |                 ^
//
// error[CK0044]: `[` is not closed
//   --> fail_unclosed_bracket.cake:11:13
//   11 |     let c = [1, 2
//      |             ^
//
// error[CK0044]: `(` is not closed
//   --> fail_unclosed_bracket.cake:12:13
//   12 |     let d = (1 + 2]
//      |             ^
//
// error[CK0010]: expected `)`, found `3`
//   --> fail_unclosed_bracket.cake:16:11
//   16 |         2 3,
//      |           ^
