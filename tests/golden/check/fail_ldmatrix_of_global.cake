// mode: check
program p target sm_90a
in x: bf16[16, 16]; out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 32] padded 8
  smem w: f32[16, 16]
  role main: warps 1 {
    var f: mma.a bf16[16, 16]
    ldmatrix f <- x
  }
}
//--- expected
// error[CK1193]: `x` is not shared memory, which `ldmatrix` moves
//   --> fail_ldmatrix_of_global.cake:10:19
//   10 |     ldmatrix f <- x
//      |                   ^
//   why: the instruction takes row addresses in shared memory
