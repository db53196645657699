// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.f16x2([ld x[lane], 1.0])
    let b = cvt.f32(a / a)
    st y[lane] <- b[0]
  }
}
//--- expected
// error[CK1012]: `/` does not compute on `f16x2`
//   --> fail_division_of_packed.cake:8:21
//    8 |     let b = cvt.f32(a / a)
//      |                     ^
//   why: each instruction names the types it computes on; 16-bit floats only convert and move
