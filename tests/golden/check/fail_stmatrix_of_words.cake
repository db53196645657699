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
    stmatrix w[:, 0:+8] <- acc
  }
}
//--- expected
// error[CK1198]: `stmatrix` cannot move `mma f32[16, 8]`; it moves mma f16, mma.a, mma.b, wgmma f16, wgmma.a, tmem.16x64b, tmem.16x128b
//   --> fail_stmatrix_of_words.cake:13:14
//   13 |     stmatrix w[:, 0:+8] <- acc
//      |              ^^^^^^^^^^
//   why: an 8x8 tile gives each thread one 32-bit register of neighbours in a row; convert, or use `st` of elements
