// mode: check
program p target sm_90
in x: f32[16, 32]
out y: f32[64]
kernel run {
  cluster 2
  grid (2)
  smem s: f32[16, 32]
  event e[1] count 1
  role main: warps 1 {
    tma.load s[cluster.rank*8:+8, :] <- x[cluster.rank*8:+8, :] on e@0 multicast 3
    expect e@0
    wait e@0
    st y[cta*32 + lane] <- ld s[0, lane]
  }
}
//--- expected
// error[CK1428]: `expect` on `e`, where multicast loads complete, does not say its bytes
//   --> fail_multicast_expect.cake:12:5
//   12 |     expect e@0
//      |     ^^^^^^^^^^
//   why: the bytes that reach this CTA come from the loads of several CTAs: `expect E@k bytes n`
