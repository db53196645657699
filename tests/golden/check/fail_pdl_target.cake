// mode: check
program p target sm_80
out y: f32[32]
kernel a {
  grid (1)
  role main: warps 1 { st y[lane] <- 0.0 }
}
kernel b pdl {
  grid (1)
  role main: warps 1 { st y[lane] <- 1.0 }
}
//--- expected
// error[CK1227]: `pdl` on kernel `b` needs sm_90; the target is sm_80
//   --> fail_pdl_target.cake:8:8
//    8 | kernel b pdl {
//      |        ^
//   why: programmatic dependent launch is a feature of compute capability 9.0 and later
