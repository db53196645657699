// mode: gates
program p target sm_80
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
workspace ticket: i32[1] zero
kernel run {
  grid (N)
  role main: warps 1 {
    var mine: i32 = 0
    once { mine = atomic.add.relaxed.gpu(ticket[0], 0) }
    let tile = lanes.first(mine, 32)
    if tile >= 0 && tile < N { st y[tile, lane] <- ld x[tile, lane] }
  }
}
//--- expected
// error[CK2162]: `st` of `y` by CTA 1 is not ordered after the `st` by CTA 0
//   --> fail_ticket_twice.cake:13:35
//   13 |     if tile >= 0 && tile < N { st y[tile, lane] <- ld x[tile, lane] }
//      |                                   ^^^^^^^^^^^^^
//   13 |     if tile >= 0 && tile < N { st y[tile, lane] <- ld x[tile, lane] }
//      |                                ------------------------------------ `st` here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, bytes 0..4, N=2
//   why: CTAs run side by side: what one writes another sees in order only if the writer releases it afterwards and the reader acquires that release first
//   fix (manual): after the write a release (`st.release.gpu`, `atomic.OP.acq_rel.gpu` or `fence gpu` before the flag), before the access an acquire of it; `sync` joins the warps of each side
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// global races  refuted        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; shown wrong at N=2 (`y` not proven, `ticket` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
