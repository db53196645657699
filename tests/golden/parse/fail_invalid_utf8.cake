// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    let café = 1
    st y[i] <- 0.0
  }
}
//--- expected
// error[CK0001]: the source is not valid UTF-8; bytes that do not decode: 1
//   --> fail_invalid_utf8.cake:10:12
//   10 |     let caf\xe9 = 1
//      |            ^^^^
//   why: names and numbers are ASCII; other characters may stand in comments, as UTF-8
