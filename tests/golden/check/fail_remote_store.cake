// mode: check
program p target sm_90
in x: bf16[256]
out y: f32[64]
kernel run {
  cluster 2
  grid (2)
  smem s: bf16[256]
  ring r[1] { v: f32[32] } from main to main
  event e[1] count 1
  role main: warps 1 {
    st.async s[lane] at 1 <- ld x[lane] on e@0
    st.async s[2*lane:+2] <- ld x[2*lane:+2] on e@0
    st.async s[2*lane:+2] at 1 <- ld x[2*lane:+2]
    st.async r.v@0[lane] at 1 <- 0.0 on r@0
    st y[cta*32 + lane] <- 0.0
  }
}
//--- expected
// error[CK1429]: `st.async` of 2 bytes a thread; it moves 4, 8 or 16
//   --> fail_remote_store.cake:12:5
//   12 |     st.async s[lane] at 1 <- ld x[lane] on e@0
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: PTX ISA, st.async: one, two or four 32-bit words, or one or two 64-bit ones
//
// error[CK1430]: the destination of `st.async` names no rank
//   --> fail_remote_store.cake:13:14
//   13 |     st.async s[2*lane:+2] <- ld x[2*lane:+2] on e@0
//      |              ^^^^^^^^^^^^
//   why: it stores to shared memory of a cluster member: `st.async V at r <- x on E@k`; a CTA's own memory is written by `st`
//
// error[CK1431]: `st.async` does not say what its bytes complete
//   --> fail_remote_store.cake:14:5
//   14 |     st.async s[2*lane:+2] at 1 <- ld x[2*lane:+2]
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: the receiver learns of the store by its event alone: `on E@k`
//
// error[CK1123]: `st.async` of ring `r`, whose slots are handed over
//   --> fail_remote_store.cake:15:41
//   15 |     st.async r.v@0[lane] at 1 <- 0.0 on r@0
//      |                                         ^^^
//    9 |   ring r[1] { v: f32[32] } from main to main
//      |        - declared here
//   why: the arrivals of a ring are `commit` by the roles behind `from` and `release` by those behind `to`
