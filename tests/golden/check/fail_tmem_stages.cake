// mode: check
program p target sm_100a
kernel k {
  grid (1)
  tmem acc[2]: f32[128, 32]
  role main: warps 4 { var f: tmem.32x32b f32[128, 32]; tmem.ld f <- acc@0; tmem.wait ld }
}
//--- expected
// error[CK0061]: tensor memory has no stages: `acc[..]`
//   --> fail_tmem_stages.cake:5:8
//    5 |   tmem acc[2]: f32[128, 32]
//      |        ^^^
//   why: its buffers are columns of one declaration: `tmem acc: f32[128, 2*BN]`, used as `acc[:, k % 2 * BN:+BN]`
