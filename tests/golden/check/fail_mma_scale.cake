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
    mma acc = fa * fb scale w, w
  }
}
//--- expected
// error[CK1072]: `mma` takes no `scale`
//   --> fail_mma_scale.cake:14:29
//   14 |     mma acc = fa * fb scale w, w
//      |                             ^
//   why: the clauses of a copy belong to copies that run beside the thread
