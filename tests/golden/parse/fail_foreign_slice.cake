// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let v = ld x[0:4]
    let w = ld x[lane*4:+4]
    let u = x[:, 0:4, :]
  }
}
//--- expected
// error[CK0036]: a slice is written `start:+extent`
//   --> fail_foreign_slice.cake:9:19
//    9 |     let v = ld x[0:4]
//      |                   ^
//   why: an extent is a constant, so that every access has a known width
//   fix (manual): write `start:+extent`
//
// error[CK0036]: a slice is written `start:+extent`
//   --> fail_foreign_slice.cake:11:19
//   11 |     let u = x[:, 0:4, :]
//      |                   ^
//   why: an extent is a constant, so that every access has a known width
//   fix (manual): write `start:+extent`
