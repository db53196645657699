// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  barrier b[2] threads 128
  role main: warps 4 {
    bar.sync b[2]
  }
}
//--- expected
// error[CK1075]: barrier 2 of `b`, which declares 2
//   --> fail_barrier_range.cake:11:14
//   11 |     bar.sync b[2]
//      |              ^^^^
//   why: barrier indices are checked when they are constants, before anything runs
