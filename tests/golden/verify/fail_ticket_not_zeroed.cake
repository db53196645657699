// mode: gates
program p target sm_80
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
workspace ticket: i32[1]
kernel run {
  grid (N)
  role main: warps 1 {
    var mine: i32 = 0
    once { mine = atomic.add.relaxed.gpu(ticket[0], 1) }
    let tile = lanes.first(mine, 32)
    if tile >= 0 && tile < N { st y[tile, lane] <- ld x[tile, lane] }
  }
}
//--- expected
// error[CK2010]: `ticket[0]` reads bytes that nothing has written, and the value is used
//   --> fail_ticket_not_zeroed.cake:11:42
//   11 |     once { mine = atomic.add.relaxed.gpu(ticket[0], 1) }
//      |                                          ^^^^^^^^^
//   11 |     once { mine = atomic.add.relaxed.gpu(ticket[0], 1) }
//      |                   ------------------------------------ the value is stored to global memory here
//   at: role main, cta 0, warp 0, lane 0, N=1
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// global races  bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran (`y` not proven, `ticket` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
