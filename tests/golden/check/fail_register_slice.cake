// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 1 {
    var a: f32[4] = 0.0
    a[0:+2] = 1.0
    let b = a[:]
  }
}
//--- expected
// error[CK1051]: a slice of registers
//   --> fail_register_slice.cake:11:7
//   11 |     a[0:+2] = 1.0
//      |       ^^^^
//   why: registers are named one element or one whole array at a time
//
// error[CK1051]: a slice of registers
//   --> fail_register_slice.cake:12:15
//   12 |     let b = a[:]
//      |               ^
//   why: registers are named one element or one whole array at a time
