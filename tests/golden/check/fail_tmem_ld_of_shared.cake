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
    tmem.ld f <- sa
  }
}
//--- expected
// error[CK1443]: `sa` is not tensor memory, which `tmem.ld` names here
//   --> fail_tmem_ld_of_shared.cake:11:18
//   11 |     tmem.ld f <- sa
//      |                  ^^
//    6 |   smem sa: bf16[128, 64] swizzle 128
//      |        -- declared here
//   why: a `tmem` of the kernel, or some of its columns
