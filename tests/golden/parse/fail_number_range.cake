// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 99999999999999999999
    let b = 1e999
    let c = 0xffffffffffffffff
    let d = 1e-300
  }
}
//--- expected
// error[CK0004]: integer `99999999999999999999` does not fit in 64 bits
//   --> fail_number_range.cake:9:13
//    9 |     let a = 99999999999999999999
//      |             ^^^^^^^^^^^^^^^^^^^^
//
// error[CK0005]: `1e999` is outside the range of a 64-bit float
//   --> fail_number_range.cake:10:13
//   10 |     let b = 1e999
//      |             ^^^^^
//   why: infinity is written `inf`
