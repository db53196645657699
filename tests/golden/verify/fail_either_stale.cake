// mode: gates
program p target sm_80
in x: f32[64]
out y: f32[64]
kernel k {
  grid (1)
  smem slot[2] {
    v: f32[64]
    either { q: f32[64] } or { h: f32[32]; g: f32[32] }
  }
  role main: warps 2 {
    st slot.q@1[thread] <- ld x[thread]
    sync cta
    if thread < 32 { st slot.g@1[thread] <- 1.0 }
    sync cta
    st y[thread] <- ld slot.q@1[thread]
  }
}
//--- expected
// error[CK2190]: `slot.q@1[thread]` reads bytes in which `slot.g` was written last, and the value is used
//   --> fail_either_stale.cake:16:24
//   16 |     st y[thread] <- ld slot.q@1[thread]
//      |                        ^^^^^^^^^^^^^^^^
//    9 |     either { q: f32[64] } or { h: f32[32]; g: f32[32] }
//      |                                            - in the same bytes
//   16 |     st y[thread] <- ld slot.q@1[thread]
//      |     ----------------------------------- the value is stored to global memory here
//   at: role main, cta 0, warp 1, lane 0
//   why: the alternatives of an `either` share their bytes: a store to one ends what the others hold there
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
