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
    mma acc = fa * s
  }
}
//--- expected
// error[CK1186]: `s` is no fragment; `mma` works on registers
//   --> fail_mma_of_memory.cake:13:20
//   13 |     mma acc = fa * s
//      |                    ^
//   why: shared memory comes to the registers by `ldmatrix`, or by loads of elements
