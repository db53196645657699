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
    cp.async tile[0, lane] <- x[0, lane] else 1.0
  }
}
//--- expected
// error[CK1154]: the `else` of `cp.async` is not 0
//   --> fail_copy_not_zero.cake:12:47
//   12 |     cp.async tile[0, lane] <- x[0, lane] else 1.0
//      |                                               ^^^
//   why: the hardware fills what it does not read with zeros (PTX ISA, cp.async: src-size)
//   fix (maybe): fill with zeros
//     12:47: `1.0` -> `0.0`
