// mode: gates
program p target sm_80
out y: f32[64]
kernel k {
  grid (1)
  smem t: f32[64]
  event e[1100] count 1
  role a: warps 1 {
    st t[lane] <- 1.0
    arrive e@0
  }
  role b: warps 1 {
    wait e@0
    st y[lane] <- ld t[31 - lane]
  }
}
//--- expected
// error[CK3118]: kernel `k` declares 1025 mbarriers; the limit is 1024
//   --> fail_too_many_mbarriers.cake:4:8
//    4 | kernel k {
//      |        ^
//   why: each stage of an event is one mbarrier, each stage of a ring two
