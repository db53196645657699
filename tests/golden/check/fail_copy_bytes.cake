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
    cp.async half[0, lane] <- h[0, lane]
  }
}
//--- expected
// error[CK1153]: `cp.async` of 2 bytes a thread; it moves 4, 8 or 16
//   --> fail_copy_bytes.cake:12:5
//   12 |     cp.async half[0, lane] <- h[0, lane]
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, cp.async: the size of one thread's copy is 4, 8 or 16 bytes
