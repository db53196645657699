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
    tma.store y[0:+16, :] <- tile else 0.0
    tma.store y[0:+16, :] <- tile multicast 3
  }
}
//--- expected
// error[CK1165]: `tma.store` takes no `else`
//   --> fail_copy_clause.cake:12:40
//   12 |     tma.store y[0:+16, :] <- tile else 0.0
//      |                                        ^^^
//   why: `on` belongs to loads that complete on an event, `else` to `cp.async`
//
// error[CK1165]: `tma.store` takes no `multicast`
//   --> fail_copy_clause.cake:13:45
//   13 |     tma.store y[0:+16, :] <- tile multicast 3
//      |                                             ^
//   why: `on` belongs to loads that complete on an event, `else` to `cp.async`
