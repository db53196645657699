// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    st acc[0, 0] <- 1.0
    f = 0.0
    if lane == 0 { f[0, 0] = ld acc[0, 1] }
  }
}
//--- expected
// error[CK1442]: `acc` is tensor memory, which `an access of one thread` does not reach
//   --> fail_tmem_access.cake:11:8
//   11 |     st acc[0, 0] <- 1.0
//      |        ^^^^^^^^^
//   why: threads move whole tiles by `tmem.ld` and `tmem.st`; single elements have no address
//
// error[CK1442]: `acc` is tensor memory, which `an access of one thread` does not reach
//   --> fail_tmem_access.cake:13:33
//   13 |     if lane == 0 { f[0, 0] = ld acc[0, 1] }
//      |                                 ^^^^^^^^^
//   why: threads move whole tiles by `tmem.ld` and `tmem.st`; single elements have no address
