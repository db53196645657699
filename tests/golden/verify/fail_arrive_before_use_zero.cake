// mode: gates
program p target sm_80
out y: f32[64]
kernel k {
  grid (1)
  smem t: f32[64]
  event e[2] count 1
  role a: warps 1 {
    for k in 0..3 { arrive e@(k-1) }
  }
  role b: warps 1 {
    wait e@0
    st y[lane] <- 1.0
  }
}
//--- expected
// error[CK2069]: `arrive` at use -1
//   --> fail_arrive_before_use_zero.cake:9:21
//    9 |     for k in 0..3 { arrive e@(k-1) }
//      |                     ^^^^^^^^^^^^^^
//   at: role a, cta 0, warp 0, iteration 0
//   why: uses count from 0; a wait before the first passes, an arrival would count into the first
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
