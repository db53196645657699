// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let größe = 1
    let a = cta ? 1 : 2
    let s = "text"
    let i = cta*128 + thread
  }
}
//--- expected
// error[CK0002]: `öß` starts no token
//   --> fail_unexpected_character.cake:9:11
//    9 |     let größe = 1
//      |           ^^
//   why: names and numbers are ASCII; other characters may stand in comments
//
// error[CK0002]: `?` starts no token
//   --> fail_unexpected_character.cake:10:17
//   10 |     let a = cta ? 1 : 2
//      |                 ^
//   why: names and numbers are ASCII; other characters may stand in comments
//   fix (manual): write `select(condition, a, b)`
//
// error[CK0002]: `"` starts no token
//   --> fail_unexpected_character.cake:11:13
//   11 |     let s = "text"
//      |             ^
//   why: names and numbers are ASCII; other characters may stand in comments
