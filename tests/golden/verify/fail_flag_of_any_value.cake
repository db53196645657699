// mode: gates
// The CTA that draws second waits for a flag that nobody sets to 0: the first one may not have come to it.
program p target sm_80
in x: f32[32]
out y: f32[32]
workspace box: f32[32]
workspace ticket: u32[1] zero
workspace flag: u32[1]
kernel run {
  grid (2)
  smem number: u32[1]
  role main: warps 1 {
    once { st number[0] <- atomic.add.relaxed.gpu(ticket[0], 1) }
    sync warp
    if ld number[0] == 0 {
      st box[lane] <- ld x[lane]
      sync warp
      once { st.release.gpu flag[0] <- 1 }
    } else {
      once { while (ld.acquire.gpu flag[0]) == 0 {} }
      sync warp
      st y[lane] <- ld box[31 - lane]
    }
  }
}
//--- expected
// error[CK2010]: `flag[0]` reads bytes that nothing has written, and the value is used
//   --> fail_flag_of_any_value.cake:20:36
//   20 |       once { while (ld.acquire.gpu flag[0]) == 0 {} }
//      |                                    ^^^^^^^
//   20 |       once { while (ld.acquire.gpu flag[0]) == 0 {} }
//      |                    ----------------------------- the value decides this branch
//   at: role main, cta 1, warp 0, lane 0, iteration 0
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran (`y` not proven, `box` not proven, `ticket` disjoint, `flag` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, two schedules; shown wrong at the only shape
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
