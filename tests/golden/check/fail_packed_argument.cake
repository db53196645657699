// mode: check
program p target sm_90a
arg a: f32x2
out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    st y[lane] <- 0.0
  }
}
//--- expected
// error[CK1201]: `f32x2` is a register type; memory holds `f32`
//   --> fail_packed_argument.cake:3:8
//    3 | arg a: f32x2
//      |        ^^^^^
//   why: a packed value is two numbers in one register; `bitcast` makes packed values of the elements that a vector access moves
//   fix (maybe): declare its elements
//     3:8: `f32x2` -> `f32`
