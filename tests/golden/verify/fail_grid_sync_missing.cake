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
    st y[i] <- ld part[127 - i]
    grid.sync
  }
}
//--- expected
// error[CK2162]: `st` of `part` by CTA 2 is not ordered after the `ld` by CTA 1
//   --> fail_grid_sync_missing.cake:10:8
//   10 |     st part[i] <- ld x[i]
//      |        ^^^^^^^
//   11 |     st y[i] <- ld part[127 - i]
//      |     --------------------------- `ld` here by role main, warp 0, CTA 1
//   at: role main, cta 2, warp 0, lane 0, bytes 256..260
//   why: CTAs run side by side: what one writes another sees in order only if the writer releases it afterwards and the reader acquires that release first
//   fix (manual): after the write a release (`st.release.gpu`, `atomic.OP.acq_rel.gpu` or `fence gpu` before the flag), before the access an acquire of it; `sync` joins the warps of each side
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, two schedules
// global races  refuted        1 shape run on the machine, all CTAs, two schedules; shown wrong at the only shape (`y` disjoint, `part` not proven)
// deadlock      explored       1 shape run on the machine, all CTAs, two schedules
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, two schedules
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
