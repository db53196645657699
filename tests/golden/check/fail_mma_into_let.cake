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
    fa = 0.0
    fb = 0.0
    let d: mma f32[16, 8] = 0.0
    mma d += fa * fb
  }
}
//--- expected
// error[CK1188]: `d` never changes
//   --> fail_mma_into_let.cake:15:9
//   15 |     mma d += fa * fb
//      |         ^
//   14 |     let d: mma f32[16, 8] = 0.0
//      |         - declared here
//   why: only a `var` is written to
