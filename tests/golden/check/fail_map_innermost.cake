// mode: check
program p target sm_90a
out y: f32[256, 32]
kernel k {
  grid (1)
  smem tile: f32[64, 32] swizzle 128
  tensormap y
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    tensormap.set y[:, 16]
    once { tma.store y[0:+64, :] <- tile; tma.commit; tma.wait 0 }
  }
}
//--- expected
// error[CK1488]: `tensormap.set` of the innermost dimension of `y`
//   --> fail_map_innermost.cake:12:19
//   12 |     tensormap.set y[:, 16]
//      |                   ^^^^^^^^
//   why: stores leave out what is behind the end of a row by pieces of 16 bytes only; rows and what they are counted by end anywhere
