// mode: check
program p target sm_90
inout y: f32[16, 32], z: i64[16, 32]
kernel k {
  grid (1)
  smem tile: f32[16, 32]
  smem wide: i64[16, 32]
  role main: warps 1 {
    once {
      tma.reduce.max y[:, :] <- tile
      bulk.reduce.add z[:, :] <- wide
      tma.commit; tma.wait 0
    }
  }
}
//--- expected
// error[CK1162]: `tma.reduce` has no max of f32
//   --> fail_copy_reduction.cake:10:7
//   10 |       tma.reduce.max y[:, :] <- tile
//      |       ^^^^^^^^^^^^^^
//   why: PTX ISA, cp.reduce.async.bulk: add of 32-bit and unsigned 64-bit integers, f16, bf16 and f32; min and max of integers, f16 and bf16; and, or, xor of 32 and 64 bits; inc and dec of u32
//
// error[CK1162]: `bulk.reduce` has no add of i64
//   --> fail_copy_reduction.cake:11:7
//   11 |       bulk.reduce.add z[:, :] <- wide
//      |       ^^^^^^^^^^^^^^^
//   why: PTX ISA, cp.reduce.async.bulk: add of 32-bit and unsigned 64-bit integers, f16, bf16 and f32; min and max of integers, f16 and bf16; and, or, xor of 32 and 64 bits; inc and dec of u32
