// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld x[cta]
    st y[cta, 0, 0] <- a
  }
}
//--- expected
// error[CK1033]: `x` has 2 dimensions here, 1 indices given
//   --> fail_index_count.cake:10:17
//   10 |     let a = ld x[cta]
//      |                 ^^^^^
//   why: each dimension has one index: a number, a slice `a:+n`, or `:`
//
// error[CK1033]: `y` has 2 dimensions here, 3 indices given
//   --> fail_index_count.cake:11:9
//   11 |     st y[cta, 0, 0] <- a
//      |         ^^^^^^^^^^^
//   why: each dimension has one index: a number, a slice `a:+n`, or `:`
