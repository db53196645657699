// mode: gates
program p target sm_80
out y: f32[64]
kernel k {
  grid (1)
  smem t: f32[64]
  event e[1] count 1; event f[1] count 1
  role a: warps 1 {
    wait f@0
    arrive e@0
  }
  role b: warps 1 {
    wait e@0
    arrive f@0
    st y[lane] <- 1.0
  }
}
//--- expected
// error[CK2060]: nothing can move: role a waits for `f@0`, which has 0 of 1 arrivals
//   --> fail_events_in_a_circle.cake:9:5
//    9 |     wait f@0
//      |     ^^^^^^^^
//   13 |     wait e@0
//      |     -------- role b waits here for `e@0`: 0 of 1 arrivals
//   at: role a, cta 0, warp 0
//   waits: role b on e@0: 0 of 1 arrived, missing role a waits for `f@0`
//   waits: role a on f@0: 0 of 1 arrived, missing role b waits for `e@0`
//   why: an mbarrier completes a generation when all its arrivals are in, and nobody is left to bring them
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
