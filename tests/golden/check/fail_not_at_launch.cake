// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (cta + 1)
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK1021]: `cta` is not known at launch
//   --> fail_not_at_launch.cake:8:9
//    8 |   grid (cta + 1)
//      |         ^^^
//   why: the host computes this before any thread exists
