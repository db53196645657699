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
    cp.async.wait lane
    tma.wait -1
  }
}
//--- expected
// error[CK1163]: `cp.async.wait` needs a constant of at least 0
//   --> fail_copy_group_count.cake:12:19
//   12 |     cp.async.wait lane
//      |                   ^^^^
//   why: how many groups may stay pending is part of the instruction
//
// error[CK1163]: `tma.wait` needs a constant of at least 0
//   --> fail_copy_group_count.cake:13:14
//   13 |     tma.wait -1
//      |              ^^
//   why: how many groups may stay pending is part of the instruction
