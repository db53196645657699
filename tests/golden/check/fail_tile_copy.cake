// mode: check
program p target sm_100a
in x: e2m3x4[128, 32]
out y: f32[128, 32]
kernel k {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  smem b: e3m2[128, 128] swizzle 128
  smem c: bf16[128, 64] swizzle 128
  smem d: bf16[128, 64]
  smem e: bf16[64, 64] swizzle 128
  tmem left: e2m3[128, 128]
  tmem half: bf16[128, 64]
  tmem low: bf16[64, 64]
  role main: warps 1 {
    tmem.cp left <- b
    tmem.cp left <- x[:, :]
    tmem.cp half <- c.T
    tmem.cp half <- d
    tmem.cp half[:, 0:+32] <- c
    tmem.cp low <- e
    tmem.cp half <- half
  }
}
//--- expected
// error[CK1492]: `b` holds e3m2, `left` e2m3
//   --> fail_tile_copy.cake:16:21
//   16 |     tmem.cp left <- b
//      |                     ^
//   why: the copy moves numbers as they are, those of 6 and 4 bits from padded rows to a byte each; a conversion goes by registers
//
// error[CK1491]: `tmem.cp` from `x`, which is in global memory
//   --> fail_tile_copy.cake:17:21
//   17 |     tmem.cp left <- x[:, :]
//      |                     ^^^^^^^
//    3 | in x: e2m3x4[128, 32]
//      |    - declared here
//   why: PTX ISA, tcgen05.cp: it copies shared memory to tensor memory; threads move values by `tmem.ld` and `tmem.st`
//
// error[CK1493]: `tmem.cp` of [64, 128] transposed to [128, 64]
//   --> fail_tile_copy.cake:18:21
//   18 |     tmem.cp half <- c.T
//      |                     ^^^
//   why: PTX ISA, tcgen05.cp .128x256b: 128 rows of shared memory, each to the lane of its number, and as many columns as the destination takes
//
// error[CK1452]: `d` is laid out as `rows`, which no matrix descriptor describes
//   --> fail_tile_copy.cake:19:21
//   19 |     tmem.cp half <- d
//      |                     ^
//   10 |   smem d: bf16[128, 64]
//      |        - declared here
//   why: PTX ISA, tcgen05 canonical layouts: rows of 16 bytes in the pattern of `swizzle 32`, `64` or `128`
//   fix (manual): declare it `swizzle 128`
//
// error[CK1493]: `tmem.cp` of [128, 64] to [128, 32]
//   --> fail_tile_copy.cake:20:31
//   20 |     tmem.cp half[:, 0:+32] <- c
//      |                               ^
//   why: PTX ISA, tcgen05.cp .128x256b: 128 rows of shared memory, each to the lane of its number, and as many columns as the destination takes
//
// error[CK1493]: `tmem.cp` of [64, 64] to [64, 64]
//   --> fail_tile_copy.cake:21:20
//   21 |     tmem.cp low <- e
//      |                    ^
//   why: PTX ISA, tcgen05.cp .128x256b: 128 rows of shared memory, each to the lane of its number, and as many columns as the destination takes
//
// error[CK1491]: `tmem.cp` from `half`, which is in tensor memory
//   --> fail_tile_copy.cake:22:21
//   22 |     tmem.cp half <- half
//      |                     ^^^^
//   13 |   tmem half: bf16[128, 64]
//      |        ---- declared here
//   why: PTX ISA, tcgen05.cp: it copies shared memory to tensor memory; threads move values by `tmem.ld` and `tmem.st`
