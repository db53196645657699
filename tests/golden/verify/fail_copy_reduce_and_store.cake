// mode: gates
program p target sm_90
in x: f32[2, 16, 64]
inout y: f32[16, 64]
kernel add {
  grid (2)
  smem tile: f32[16, 64] swizzle 128
  role main: warps 2 {
    for r in 0..16 { st tile[r, thread] <- ld x[cta, r, thread] }
    fence async; sync role
    if cta == 0 {
      once { tma.reduce.add y[:, :] <- tile; tma.commit; tma.wait.read 0 }
    } else {
      once { tma.store y[:, :] <- tile; tma.commit; tma.wait.read 0 }
    }
  }
}
//--- expected
// error[CK2023]: `tma.store` of `y` by CTA 1 is not ordered with the `tma.reduce.add` by CTA 0
//   --> fail_copy_reduce_and_store.cake:14:24
//   14 |       once { tma.store y[:, :] <- tile; tma.commit; tma.wait.read 0 }
//      |                        ^^^^^^^
//   12 |       once { tma.reduce.add y[:, :] <- tile; tma.commit; tma.wait.read 0 }
//      |              ------------------------------ written here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, bytes 0..4
//   why: the CTAs of one kernel run in any order; what one writes, only a later kernel may touch
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape (`y` not proven)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
