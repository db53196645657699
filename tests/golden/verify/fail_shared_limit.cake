// mode: gates
program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  smem t[6]: f32[128, 64]
  role main: warps 1 {
    st t@0[lane, 0] <- 1.0
    if lane < N { st y[lane] <- 0.0 }
  }
}
//--- expected
// error[CK3102]: kernel `k` needs 196608 bytes of shared memory; sm_80 has 166912 a CTA
//   --> fail_shared_limit.cake:7:8
//    7 |   smem t[6]: f32[128, 64]
//      |        ^
//    7 |   smem t[6]: f32[128, 64]
//      |        - takes 196608 bytes
//   why: a CTA's shared memory must fit on one SM, beside what the system reserves there
//   fix (manual): `t` with 5 stages instead of 6 fits
