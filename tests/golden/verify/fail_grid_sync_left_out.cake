// mode: gates
program p target sm_80
in x: f32[128]
out y: f32[128]
workspace part: f32[128]
kernel run {
  grid (4)
  role main: warps 1 {
    let i = cta*32 + lane
    st part[i] <- ld x[i]
    if cta > 0 { grid.sync }
    st y[i] <- ld part[i]
  }
}
//--- expected
// error[CK2167]: `grid.sync` is reached by 3 of 4 CTAs
//   --> fail_grid_sync_left_out.cake:11:18
//   11 |     if cta > 0 { grid.sync }
//      |                  ^^^^^^^^^
//   at: role main, cta 1, warp 0
//   why: every CTA of the grid must reach it, the same number of times
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, two schedules
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `part` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, two schedules; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, two schedules
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
