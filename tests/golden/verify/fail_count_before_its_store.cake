// mode: gates
// Nothing puts who adds to the count behind the store that begins it.
program p target sm_80
out y: u32[1]
workspace count: u32[1]
workspace flag: u32[1] zero
kernel run {
  grid (2)
  role main: warps 1 {
    once {
      if cta == 0 {
        st.relaxed.gpu count[0] <- 1
        st.relaxed.gpu flag[0] <- 1
      } else {
        red.add.relaxed.gpu(count[0], 1)
        st y[0] <- ld.relaxed.gpu count[0]
      }
    }
  }
}
//--- expected
// error[CK2010]: `count[0]` reads bytes that nothing has written, and the value is used
//   --> fail_count_before_its_store.cake:15:29
//   15 |         red.add.relaxed.gpu(count[0], 1)
//      |                             ^^^^^^^^
//   15 |         red.add.relaxed.gpu(count[0], 1)
//      |         -------------------------------- the value is stored to global memory here
//   at: role main, cta 1, warp 0, lane 0
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `count` disjoint, `flag` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, two schedules; shown wrong at the only shape
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
