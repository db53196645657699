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
    let b = a + a
  }
}
//--- expected
// error[CK1049]: `+` of the register array `f32[4]`
//   --> fail_array_operand.cake:11:13
//   11 |     let b = a + a
//      |             ^
//   why: whole arrays are set, copied, converted, loaded and stored; everything else is a loop over elements
