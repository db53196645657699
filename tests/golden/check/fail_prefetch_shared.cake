// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  smem s: f32[64]
  role main: warps 1 {
    prefetch.l1 s[lane]
    st y[lane] <- 0.0
  }
}
//--- expected
// error[CK1203]: `prefetch` of `s`, which is no tensor
//   --> fail_prefetch_shared.cake:8:17
//    8 |     prefetch.l1 s[lane]
//      |                 ^^^^^^^
//   why: only global memory lies behind the caches that a prefetch fills
