// mode: gates
program p target sm_80
in x: f32[32]
out y: f32[32]
workspace flag: u32[1] zero
kernel run {
  grid (2)
  role main: warps 1 {
    if cta == 0 {
      var seen: u32 = 0
      while seen < cvt.u32(lane) { seen = ld.acquire.gpu flag[0] }
      st y[lane] <- ld x[lane]
    } else {
      once { st.release.gpu flag[0] <- 31 }
    }
  }
}
//--- expected
// error[CK2163]: a loop that polls memory goes on in 31 of the 32 lanes that entered it
//   --> fail_divergent_spin.cake:11:36
//   11 |       while seen < cvt.u32(lane) { seen = ld.acquire.gpu flag[0] }
//      |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, iteration 1
//   why: lanes that are through would wait for the others, which may wait for them: a warp polls as one, or one of its lanes does
//   fix (manual): poll under `elect` or `once`, or let the warp decide as one: `lanes.any(.., 32)`
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `flag` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
