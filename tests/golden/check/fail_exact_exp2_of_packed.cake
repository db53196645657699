// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = exp2(cvt.f16x2([ld x[lane], 1.0]))
    let b = cvt.f32(a)
    st y[lane] <- b[1]
  }
}
//--- expected
// error[CK1200]: no instruction does `exp2` of `f16x2`: packed values have the approximation only, `.approx`
//   --> fail_exact_exp2_of_packed.cake:7:13
//    7 |     let a = exp2(cvt.f16x2([ld x[lane], 1.0]))
//      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: types and modifiers pick the instruction, and each exists for some combinations only (PTX ISA, the syntax of each instruction)
