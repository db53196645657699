// mode: check
program p target sm_90
out static y: f32[32]
kernel a {
  grid (1)
  role main: warps 1 { st y[lane] <- 0.0 }
}
kernel b pdl {
  grid (1)
  role main: warps 1 { pdl.wait; st y[lane] <- 1.0 }
}
//--- expected
// error[CK1225]: `y` is declared `static` and written by kernel `a`, which is not the last
//   --> fail_static_written.cake:6:27
//    6 |   role main: warps 1 { st y[lane] <- 0.0 }
//      |                           ^^^^^^^
//    3 | out static y: f32[32]
//      |            - declared here
//   why: `static` promises later kernels that no earlier one writes the tensor, so that they may read it before `pdl.wait`
