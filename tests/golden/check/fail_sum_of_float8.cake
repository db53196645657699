// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = ld q[lane]
    st y[lane] <- cvt.f32(a + a)
  }
}
//--- expected
// error[CK1012]: `+` does not compute on `e4m3`
//   --> fail_sum_of_float8.cake:8:27
//    8 |     st y[lane] <- cvt.f32(a + a)
//      |                           ^
//   why: each instruction names the types it computes on; 16-bit floats only convert and move
