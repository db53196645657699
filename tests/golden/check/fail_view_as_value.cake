// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = x[cta, 0] * 2.0
  }
}
//--- expected
// error[CK1006]: `x` is memory, not a value
//   --> fail_view_as_value.cake:10:13
//   10 |     let a = x[cta, 0] * 2.0
//      |             ^^^^^^^^^
//   why: memory is read by `ld`, so that every access is visible in the source
//   fix (machine): load it
//     10:13: insert `ld `
