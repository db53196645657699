// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    # python
    let a = 1 /* c */
    let b = 2 // ours
  }
}
//--- expected
// error[CK0007]: comments start with `//`
//   --> fail_foreign_comment.cake:9:5
//    9 |     # python
//      |     ^
//   fix (machine): write `//`
//     9:5: `#` -> `//`
//
// error[CK0007]: comments start with `//`
//   --> fail_foreign_comment.cake:10:15
//   10 |     let a = 1 /* c */
//      |               ^^
