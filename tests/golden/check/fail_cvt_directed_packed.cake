// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.f16x2.rp([ld x[lane], 1.0])
    let b = cvt.f32(a)
    st y[lane] <- b[0]
  }
}
//--- expected
// error[CK1200]: no instruction does `cvt.f16x2.rp` of `f32[2]`: packed values are rounded to nearest or towards zero
//   --> fail_cvt_directed_packed.cake:7:13
//    7 |     let a = cvt.f16x2.rp([ld x[lane], 1.0])
//      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: types and modifiers pick the instruction, and each exists for some combinations only (PTX ISA, the syntax of each instruction)
