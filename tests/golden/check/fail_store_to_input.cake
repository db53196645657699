// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    st x[cta, 0] <- 1.0
  }
}
//--- expected
// error[CK1046]: `x` is an input of the program
//   --> fail_store_to_input.cake:10:8
//   10 |     st x[cta, 0] <- 1.0
//      |        ^^^^^^^^^
//    4 | in x: f32[N, K], h: bf16[N, K], idx: i32[N]
//      |    - declared here
//   why: `in` tensors are only read; loads of them may go through the read-only path
