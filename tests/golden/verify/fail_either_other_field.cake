// mode: gates
program p target sm_80
in x: f32[6, 64]
out y: f32[6, 32]
kernel k {
  grid (1)
  ring slot[3] {
    either { wide: f32[64] } or { low: f32[32]; high: f32[32] }
  } from load to math
  role load: warps 1 {
    for i in 0 .. 6 {
      acquire slot@i
      if i % 2 == 0 {
        st slot.wide@i[lane] <- ld x[i, lane]
        st slot.wide@i[lane + 32] <- ld x[i, lane + 32]
      } else {
        st slot.low@i[lane] <- ld x[i, lane]
        st slot.high@i[lane] <- ld x[i, lane + 32]
      }
      commit slot@i
    }
  }
  role math: warps 1 {
    for i in 0 .. 6 {
      wait slot@i
      var v = 0.0
      if i % 2 == 0 {
        v = (ld slot.wide@i[lane]) + (ld slot.wide@i[lane + 32])
      } else {
        v = (ld slot.wide@i[lane]) + (ld slot.high@i[lane])
      }
      release slot@i
      st y[i, lane] <- v
    }
  }
}
//--- expected
// error[CK2190]: `slot.wide@i[lane]` reads bytes in which `slot.low` was written last, and the value is used
//   --> fail_either_other_field.cake:30:17
//   30 |         v = (ld slot.wide@i[lane]) + (ld slot.high@i[lane])
//      |                 ^^^^^^^^^^^^^^^^^
//    8 |     either { wide: f32[64] } or { low: f32[32]; high: f32[32] }
//      |                                   --- in the same bytes
//   33 |       st y[i, lane] <- v
//      |       ------------------ the value is stored to global memory here
//   at: role math, cta 0, warp 0, lane 0, iteration 1
//   why: the alternatives of an `either` share their bytes: a store to one ends what the others hold there
// bounds        proved         13 of 13 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
