// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  event e1[2] count 1
  cluster 2
  role main: warps 4 {
    var f: wgmma f32[64, 64]
    let e = cvt.e2m1(0.5)
  }
}
//--- expected
// error[CK1032]: `e2m1` is not in this build
//   --> fail_construct_not_in_build.cake:13:13
//   13 |     let e = cvt.e2m1(0.5)
//      |             ^^^^^^^^^^^^^
//   why: the language has it; no part of this build runs it
