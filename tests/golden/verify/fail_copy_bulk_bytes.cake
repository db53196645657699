// mode: gates
program p target sm_90
out y: f32[64, 512], z: f32[64, 64], s: f32[4, 64, 32], w: u8[64, 24], l: f32[131072]
kernel k {
  grid (1)
  smem tile: f32[3]
  role main: warps 1 {
    once { bulk.store z[0, 0:+3] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3127]: the bulk copy of `z` is 12 bytes, which is not a multiple of 16
//   --> fail_copy_bulk_bytes.cake:8:23
//    8 |     once { bulk.store z[0, 0:+3] <- tile; tma.commit; tma.wait.read 0 }
//      |                       ^^^^^^^^^^
//   why: PTX ISA, cp.async.bulk: sizes and both addresses are multiples of 16
