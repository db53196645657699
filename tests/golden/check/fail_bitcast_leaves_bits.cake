// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    let a = bitcast.u64(ld u[lane])
    st y[lane] <- 0.0
  }
}
//--- expected
// error[CK1200]: no instruction does `bitcast.u64` of `u32`: the bits do not fill whole registers of that type
//   --> fail_bitcast_leaves_bits.cake:7:13
//    7 |     let a = bitcast.u64(ld u[lane])
//      |             ^^^^^^^^^^^^^^^^^^^^^^^
//   why: types and modifiers pick the instruction, and each exists for some combinations only (PTX ISA, the syntax of each instruction)
