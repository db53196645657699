// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.bf16x2([ld x[lane], 1.0])
    st y[lane] <- select(a < a, 1.0, 0.0)
  }
}
//--- expected
// error[CK1012]: `<` does not compute on `bf16x2`
//   --> fail_comparison_of_packed.cake:8:26
//    8 |     st y[lane] <- select(a < a, 1.0, 0.0)
//      |                          ^
//   why: each instruction names the types it computes on; 16-bit floats only convert and move
