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
    var d: mma f32[16, 16]
    d = 0.0
    mma d[:, 16:+8] += fa * fb
  }
}
//--- expected
// error[CK1187]: a slice of `d` is `[:, c:+n]` with c and n multiples of 8 inside the tile
//   --> fail_fragment_slice_outside.cake:16:9
//   16 |     mma d[:, 16:+8] += fa * fb
//      |         ^^^^^^^^^^^
//   why: an instruction reads and writes whole tiles of columns
