// mode: gates
program p target sm_80
out y: f32[64]
kernel k {
  grid (1)
  smem t: f32[64]
  event e[1] count 1
  role a: warps 1 {
    st t[lane] <- 1.0
    if lane == 0 { arrive.thread e@0 }
  }
  role b: warps 1 {
    wait e@0
    st y[lane] <- ld t[31 - lane]
  }
}
//--- expected
// error[CK2020]: `ld` of `t` by warp 0 is not ordered after the `st` by warp 0
//   --> fail_one_lane_arrives.cake:14:22
//   14 |     st y[lane] <- ld t[31 - lane]
//      |                      ^^^^^^^^^^^^
//    9 |     st t[lane] <- 1.0
//      |     ----------------- written here by role a, warp 0
//   10 |     if lane == 0 { arrive.thread e@0 }
//      |                    ----------------- role a hands over here, but role b does not wait for that before its access
//   at: role b, cta 0, warp 0, lane 0, bytes 124..128
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
