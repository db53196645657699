// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.f16x2(ld x[lane])
    let b = cvt.f32(a)
    st y[lane] <- b[0]
  }
}
//--- expected
// error[CK1200]: no instruction does `cvt.f16x2` of `f32`: a packed value holds two numbers: convert `[low, high]`
//   --> fail_cvt_packs_one_number.cake:7:13
//    7 |     let a = cvt.f16x2(ld x[lane])
//      |             ^^^^^^^^^^^^^^^^^^^^^
//   why: types and modifiers pick the instruction, and each exists for some combinations only (PTX ISA, the syntax of each instruction)
