// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  barrier b threads 128
  role main: warps 4 {
    bar.sync x
  }
}
//--- expected
// error[CK1071]: `x` is no barrier
//   --> fail_not_a_barrier.cake:11:14
//   11 |     bar.sync x
//      |              ^
//   why: `bar.sync` and `bar.arrive` name a declared `barrier`
