// mode: check
program p target sm_90a
in u: u32[64]; out y: u32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    if lane < 7 { st y[lane] <- redux.add(ld u[lane]) }
  }
}
//--- expected
// error[CK1110]: `redux.add` needs every thread of its `warp`; control here is `lane` level
//   --> fail_divergent_redux.cake:7:33
//    7 |     if lane < 7 { st y[lane] <- redux.add(ld u[lane]) }
//      |                                 ^^^^^^^^^^^^^^^^^^^^^
//    7 |     if lane < 7 { st y[lane] <- redux.add(ld u[lane]) }
//      |        -------- this condition is lane level
//    7 |     if lane < 7 { st y[lane] <- redux.add(ld u[lane]) }
//      |        ---- this is lane level
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
