// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    st y[lane] <- redux.add(ld x[lane])
  }
}
//--- expected
// error[CK1012]: `redux.add` does not compute on `f32`
//   --> fail_redux_of_float.cake:7:29
//    7 |     st y[lane] <- redux.add(ld x[lane])
//      |                             ^^^^^^^^^^
//   why: each instruction names the types it computes on; 16-bit floats only convert and move
