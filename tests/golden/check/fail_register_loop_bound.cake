// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32[4] = 0.0
    for i in 0..n { a[i] = 1.0 }
  }
}
//--- expected
// error[CK1102]: the loop over `i` indexes registers and its trip count is not constant
//   --> fail_register_loop_bound.cake:11:5
//   11 |     for i in 0..n { a[i] = 1.0 }
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     for i in 0..n { a[i] = 1.0 }
//      |                 - not a constant
//   11 |     for i in 0..n { a[i] = 1.0 }
//      |                       - a register is indexed here
//   why: registers have no addresses: such a loop is unrolled in full, so its bounds must be constants
