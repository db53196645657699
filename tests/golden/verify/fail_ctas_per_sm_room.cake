// mode: gates
program fail_ctas_per_sm_room target sm_90a
dim N in 0..=1024
out y: f32[N]
kernel threads {
  grid (1)
  ctas_per_sm 3
  role main: warps 24 { if thread < N { st y[thread] <- 0.0 } }
}
kernel memory {
  grid (1)
  ctas_per_sm 2
  smem s: f32[30000]
  role main: warps 1 {
    st s[lane] <- 1.0
    if lane < N { st y[lane] <- ld s[lane] }
  }
}
//--- expected
// error[CK3160]: kernel `threads` with `ctas_per_sm 3` needs 2304 threads of an SM, which has 2048
//   --> fail_ctas_per_sm_room.cake:5:8
//    5 | kernel threads {
//      |        ^^^^^^^
//   why: CTAs are on an SM at once if their threads, registers and shared memory, 1 KB of each CTA for the system included, fit beside each other
//
// error[CK3160]: kernel `memory` with `ctas_per_sm 2` needs 242048 bytes of shared memory of an SM, which has 233472
//   --> fail_ctas_per_sm_room.cake:10:8
//   10 | kernel memory {
//      |        ^^^^^^
//   why: CTAs are on an SM at once if their threads, registers and shared memory, 1 KB of each CTA for the system included, fit beside each other
