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
    cp.async tile[0, lane] <- x[0, lane] cache forever
    tma.store y[0:+16, :] <- tile cache cached
  }
}
//--- expected
// error[CK1155]: `forever` is no cache hint of `cp.async`, which takes cached, evict_first or evict_last
//   --> fail_copy_cache_word.cake:12:48
//   12 |     cp.async tile[0, lane] <- x[0, lane] cache forever
//      |                                                ^^^^^^^
//   why: PTX ISA, cache operators and eviction priorities: each instruction has its own
//
// error[CK1155]: `cached` is no cache hint of `tma.store`, which takes evict_first or evict_last
//   --> fail_copy_cache_word.cake:13:41
//   13 |     tma.store y[0:+16, :] <- tile cache cached
//      |                                         ^^^^^^
//   why: PTX ISA, cache operators and eviction priorities: each instruction has its own
