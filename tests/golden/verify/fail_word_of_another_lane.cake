// mode: gates
// Lanes of one warp need not go in order.
program p target sm_80
out y: u32[1]
workspace box: u32[1]
kernel run {
  grid (1)
  role main: warps 1 {
    if lane == 0 { st.relaxed.gpu box[0] <- 7 }
    if lane == 5 { st y[0] <- ld.relaxed.gpu box[0] }
  }
}
//--- expected
// error[CK2010]: `box[0]` reads bytes that nothing has written, and the value is used
//   --> fail_word_of_another_lane.cake:10:46
//   10 |     if lane == 5 { st y[0] <- ld.relaxed.gpu box[0] }
//      |                                              ^^^^^^
//   10 |     if lane == 5 { st y[0] <- ld.relaxed.gpu box[0] }
//      |                    -------------------------------- the value is stored to global memory here
//   at: role main, cta 0, warp 0, lane 5
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `box` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, two schedules; shown wrong at the only shape
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
