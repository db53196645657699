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
    let b = a[0, 1]
  }
}
//--- expected
// error[CK1023]: `a` takes 1 indices, 2 given
//   --> fail_element_count.cake:11:13
//   11 |     let b = a[0, 1]
//      |             ^^^^^^^
//   why: registers are named one element at a time
