// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
param W in {1, 2} = 1
where W % 2 == 0
kernel k {
  grid (N)
  role main: warps 4 {
    st y[cta, 0] <- 0.0
  }
}
//--- expected
// error[CK1065]: this condition is false for this member
//   --> fail_false_guard.cake:8:7
//    8 | where W % 2 == 0
//      |       ^^^^^^^^^^
//   why: a `where` of params only says which members of the family are legal
