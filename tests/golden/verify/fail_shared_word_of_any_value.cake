// mode: gates
// The reader may come before the writer: nothing orders them.
program p target sm_80
out y: u32[1]
kernel run {
  grid (1)
  smem s: u32[1]
  role a: warps 1 { once { st.relaxed.cta s[0] <- 3 } }
  role b: warps 1 { once { st y[0] <- ld.relaxed.cta s[0] } }
}
//--- expected
// error[CK2010]: `s[0]` reads bytes that nothing has written, and the value is used
//   --> fail_shared_word_of_any_value.cake:9:54
//    9 |   role b: warps 1 { once { st y[0] <- ld.relaxed.cta s[0] } }
//      |                                                      ^^^^
//    9 |   role b: warps 1 { once { st y[0] <- ld.relaxed.cta s[0] } }
//      |                            ------------------------------ the value is stored to global memory here
//   at: role b, cta 0, warp 0, lane 0
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, one schedule; threads learn from each other: one order of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, one schedule; threads learn from each other: one order of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
