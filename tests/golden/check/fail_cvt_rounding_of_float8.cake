// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.e4m3.rz(ld x[lane])
    let b = cvt.f32(a)
    st y[lane] <- b
  }
}
//--- expected
// error[CK1200]: no instruction does `cvt.e4m3.rz` of `f32`: 8-bit floats are rounded to nearest even only
//   --> fail_cvt_rounding_of_float8.cake:7:13
//    7 |     let a = cvt.e4m3.rz(ld x[lane])
//      |             ^^^^^^^^^^^^^^^^^^^^^^^
//   why: types and modifiers pick the instruction, and each exists for some combinations only (PTX ISA, the syntax of each instruction)
