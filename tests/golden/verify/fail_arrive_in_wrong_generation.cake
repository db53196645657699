// mode: gates
program p target sm_80
out y: f32[64]
kernel k {
  grid (1)
  smem t: f32[64]
  event e[1] count 2
  role a: warps 2 {
    for k in 0..3 { arrive e@k }
  }
  role b: warps 1 {
    for k in 0..3 { wait e@k }
    st y[lane] <- 1.0
  }
}
//--- expected
// error[CK2064]: this warp arrives at `e@1` without knowing that `e@0` is complete
//   --> fail_arrive_in_wrong_generation.cake:9:21
//    9 |     for k in 0..3 { arrive e@k }
//      |                     ^^^^^^^^^^
//   at: role a, cta 0, warp 0, iteration 1
//   why: both are one mbarrier: until the earlier generation is complete, the arrival counts into it
//   fix (manual): let this warp wait for the earlier use, or for what follows it, before it arrives again
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
