// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var acc: mma f32[9223372036854775792, 8]
    acc = 0.0
  }
}
//--- expected
// error[CK1182]: `mma f32[9223372036854775792, 8]` takes 262144 registers of each thread; a thread has 255
//   --> fail_fragment_extent.cake:9:14
//    9 |     var acc: mma f32[9223372036854775792, 8]
//      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: a fragment has no address: what does not fit in registers cannot exist
