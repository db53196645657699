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
    tma.store y[0:+16, :] <- tile.T
  }
}
//--- expected
// error[CK1159]: `tma.store` takes no `transposed` view
//   --> fail_copy_plain_view.cake:12:30
//   12 |     tma.store y[0:+16, :] <- tile.T
//      |                              ^^^^^^
//   why: a copy keeps the order of the elements and stays inside the CTA
