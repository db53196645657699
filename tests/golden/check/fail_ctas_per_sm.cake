// mode: check
program fail_ctas_per_sm target sm_90a
dim N in 0..=1024
param CTAS in 0..=3 = 0
out y: f32[N]
kernel a {
  grid (1)
  ctas_per_sm CTAS
  ctas_per_sm 2
  role main: warps 1 { if lane < N { st y[lane] <- 0.0 } }
}
//--- expected
// error[CK1260]: 0 CTAs an SM
//   --> fail_ctas_per_sm.cake:8:3
//    8 |   ctas_per_sm CTAS
//      |   ^^^^^^^^^^^^^^^^
//   why: a launch has one at least
//
// error[CK1261]: a second `ctas_per_sm`
//   --> fail_ctas_per_sm.cake:9:3
//    9 |   ctas_per_sm 2
//      |   ^^^^^^^^^^^^^
//   why: a kernel is compiled in one way
