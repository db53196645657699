// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let v = ld h[cta, 0]
    let a = v + v
    let b = scale % scale
  }
}
//--- expected
// error[CK1012]: `+` does not compute on `bf16`
//   --> fail_does_not_compute.cake:11:13
//   11 |     let a = v + v
//      |             ^
//   why: each instruction names the types it computes on; 16-bit floats only convert and move
//   fix (maybe): convert it to f32 first
//     11:13: insert `cvt.f32(`
//     11:14: insert `)`
//
// error[CK1012]: `%` does not compute on `f32`
//   --> fail_does_not_compute.cake:12:13
//   12 |     let b = scale % scale
//      |             ^^^^^
//   why: each instruction names the types it computes on; 16-bit floats only convert and move
