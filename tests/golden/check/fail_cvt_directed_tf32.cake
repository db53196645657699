// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = cvt.tf32.rm(ld x[lane])
    st y[lane] <- cvt.f32(a)
  }
}
//--- expected
// error[CK1200]: no instruction does `cvt.tf32.rm` of `f32`: bf16 and tf32 are rounded to nearest or towards zero
//   --> fail_cvt_directed_tf32.cake:7:13
//    7 |     let a = cvt.tf32.rm(ld x[lane])
//      |             ^^^^^^^^^^^^^^^^^^^^^^^
//   why: types and modifiers pick the instruction, and each exists for some combinations only (PTX ISA, the syntax of each instruction)
