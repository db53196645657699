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
    cp.async y[0, lane] <- tile[0, lane]
    tma.store tile <- x[0:+16, :]
    cp.async tile[0, lane] <- 1.0
  }
}
//--- expected
// error[CK1150]: `cp.async` copies from global memory to shared memory
//   --> fail_copy_direction.cake:12:28
//   12 |     cp.async y[0, lane] <- tile[0, lane]
//      |                            ^^^^^^^^^^^^^
//   why: each asynchronous copy is an instruction for one direction
//
// error[CK1150]: `tma.store` copies from shared memory to global memory
//   --> fail_copy_direction.cake:13:23
//   13 |     tma.store tile <- x[0:+16, :]
//      |                       ^^^^^^^^^^^
//   why: each asynchronous copy is an instruction for one direction
//
// error[CK1150]: `cp.async` copies from global memory to shared memory
//   --> fail_copy_direction.cake:14:31
//   14 |     cp.async tile[0, lane] <- 1.0
//      |                               ^^^
//   why: each asynchronous copy is an instruction for one direction
