// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var acc: mma f32[16, 32]
    acc = 0.0
    let p = bitcast.i32(acc)
  }
}
//--- expected
// error[CK1192]: `bitcast.i32` of `mma f32[16, 32]` has the registers of no fragment form
//   --> fail_fragment_bitcast.cake:11:13
//   11 |     let p = bitcast.i32(acc)
//      |             ^^^^^^^^^^^^^^^^
//   why: a conversion keeps each element in its thread, and no form of that type deals the tile out like this; go through shared memory
