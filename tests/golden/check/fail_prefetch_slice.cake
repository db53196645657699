// mode: check
program p target sm_90a
in x: f32[64], h: f16[64], q: e4m3[64], u: u32[64]; out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    prefetch x[0:+4]
    st y[lane] <- 0.0
  }
}
//--- expected
// error[CK1202]: `prefetch` of more than one element of `x`
//   --> fail_prefetch_slice.cake:7:14
//    7 |     prefetch x[0:+4]
//      |              ^^^^^^^
//   why: a prefetch takes one address a thread and asks for the line around it
