// mode: gates
program p target sm_90a
in a: bf16[128, 64], b: bf16[32, 64]
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  event loaded[1] count 1
  event done[1] count 1
  event put[1] count 4
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    arrive put@0
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
  role multiply: warps 1 {
    tma.load sa <- a[:, :] on loaded@0
    tma.load sb <- b[:, :] on loaded@0
    expect loaded@0
    wait loaded@0
    umma acc = sa * sb.T
    umma.commit done@0
    wait put@0
  }
}
//--- expected
// error[CK1461]: kernel `k` has tensor memory, and sm_90a has none
//   --> fail_tmem_architecture.cake:9:8
//    9 |   tmem acc: f32[128, 32]
//      |        ^^^
//   why: PTX ISA, tcgen05: sm_100a and sm_103a
