// mode: check
program p target sm_90
dim M in 1..=64, N in 16..=64
in x: f32[M, 32], h: bf16[M, 32], big: f32[2, 2, 2, 2, 2, 32], odd: f32[M, 32] stride (32, sx)
out y: f32[M, 32], c: bool[M, 32]
kernel k {
  grid (1)
  smem tile: f32[16, 32] swizzle 128
  smem half: bf16[16, 32]
  smem flags: bool[16, 32]
  role main: warps 1 {
    cp.async tile[0, lane] <- h[0, lane]
    tma.store y[0:+16, :] <- half
  }
}
//--- expected
// error[CK1151]: `h` is bf16 and `tile` is f32
//   --> fail_copy_element_types.cake:12:31
//   12 |     cp.async tile[0, lane] <- h[0, lane]
//      |                               ^^^^^^^^^^
//   why: a copy moves bytes as they are; values are converted in registers
//
// error[CK1151]: `half` is bf16 and `y` is f32
//   --> fail_copy_element_types.cake:13:30
//   13 |     tma.store y[0:+16, :] <- half
//      |                              ^^^^
//   why: a copy moves bytes as they are; values are converted in registers
