// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (2)
  cluster 2
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[32, 64] swizzle 128
  tmem left: bf16[128, 64]
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var m: mma.a bf16[16, 16]
    if warp == 0 {
      umma acc = a * b.T at 1
      tmem.cp left <- a at 1
    }
    ldmatrix m <- a[0:+16, 0:+16] at 1
  }
}
//--- expected
// error[CK1424]: `umma` takes no `at`: its operands lie in the memory of its own CTA
//   --> fail_operand_of_other_cta.cake:14:22
//   14 |       umma acc = a * b.T at 1
//      |                      ^^^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
//
// error[CK1424]: `tmem.cp` takes no `at`: its operands lie in the memory of its own CTA
//   --> fail_operand_of_other_cta.cake:15:23
//   15 |       tmem.cp left <- a at 1
//      |                       ^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
//
// error[CK1424]: `ldmatrix` takes no `at`: its operands lie in the memory of its own CTA
//   --> fail_operand_of_other_cta.cake:17:19
//   17 |     ldmatrix m <- a[0:+16, 0:+16] at 1
//      |                   ^^^^^^^^^^^^^^^^^^^^
//   why: loads, stores, atomics and arrivals reach the shared memory of other CTAs of the cluster; `tma.load .. multicast` fills that of several
