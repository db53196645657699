// mode: check
program p target sm_90a
in x: f16x2[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    st y[lane] <- 0.0
  }
}
//--- expected
// error[CK1201]: `f16x2` is a register type; memory holds `f16`
//   --> fail_packed_tensor.cake:3:7
//    3 | in x: f16x2[64]; out y: f32[64]
//      |       ^^^^^
//   why: a packed value is two numbers in one register; `bitcast` makes packed values of the elements that a vector access moves
//   fix (maybe): declare its elements
//     3:7: `f16x2` -> `f16`
