// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    acc = 0.0
    st y[acc.row(2), 0] <- acc[0, 0]
  }
}
//--- expected
// error[CK1199]: `row` 2 of 2 a thread
//   --> fail_fragment_row.cake:13:18
//   13 |     st y[acc.row(2), 0] <- acc[0, 0]
//      |                  ^
//   why: f.rows and f.cols count what one thread holds
