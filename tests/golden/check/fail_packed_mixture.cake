// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.bf16x2([ld x[lane], 1.0])
    let b = cvt.f16x2([ld x[lane], 1.0])
    let c = cvt.f32(a + b)
    st y[lane] <- c[0]
  }
}
//--- expected
// error[CK1011]: `+` of `bf16x2` and `f16x2`
//   --> fail_packed_mixture.cake:9:21
//    9 |     let c = cvt.f32(a + b)
//      |                     ^^^^^
//   why: both sides have one type; only i32 becomes i64 by itself
