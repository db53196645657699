// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld x[cta:+4, 0]
  }
}
//--- expected
// error[CK1038]: `x` is sliced in a dimension that is not contiguous
//   --> fail_access_shape.cake:10:16
//   10 |     let a = ld x[cta:+4, 0]
//      |                ^^^^^^^^^^^^
//   why: a vector access covers neighbouring elements, so only the last dimension may be a slice, and its stride must be 1
