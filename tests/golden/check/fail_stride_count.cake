// mode: check
program p target sm_80
dim N in 8..=64
in x: f32[N, N] stride (1)
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK1056]: `x` has 2 dimensions and 1 strides
//   --> fail_stride_count.cake:4:4
//    4 | in x: f32[N, N] stride (1)
//      |    ^^^^^^^^^^^^^^^^^^^^^^^
//   why: each dimension has one stride, in elements
