// mode: check
program p target sm_90a
out y: f32[64]
kernel k {
  grid (1)
  smem s: bf16x2[64]
  role main: warps 1 {
    st y[lane] <- 0.0
  }
}
//--- expected
// error[CK1201]: `bf16x2` is a register type; memory holds `bf16`
//   --> fail_packed_shared.cake:6:11
//    6 |   smem s: bf16x2[64]
//      |           ^^^^^^
//   why: a packed value is two numbers in one register; `bitcast` makes packed values of the elements that a vector access moves
//   fix (maybe): declare its elements
//     6:11: `bf16x2` -> `bf16`
