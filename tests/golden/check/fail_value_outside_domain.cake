// mode: check
// bind: W=3
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
param W in {1, 2} = 1
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    st y[cta, W] <- 0.0
  }
}
//--- expected
// error[CK1053]: param `W` has no value 3 in its domain
//   --> fail_value_outside_domain.cake:7:7
//    7 | param W in {1, 2} = 1
//      |       ^
//   why: a member binds each param to one value of its declared domain
