// mode: gates
program p target sm_90
in x: f32[4, 16, 32]
out y: f32[4, 16, 32]
kernel k {
  grid (4)
  smem tile: f32[16, 32] swizzle 128
  role main: warps 2 {
    for r in warp..16 step 2 { st tile[r, lane] <- ld x[cta, r, lane] }
    fence async; sync role
    once { tma.store y[cta, :, :] <- tile; tma.commit }
  }
}
//--- expected
// error[CK2104]: the CTA ends while the `tma.store` may still read `tile`
//   --> fail_copy_exit.cake:11:12
//   11 |     once { tma.store y[cta, :, :] <- tile; tma.commit }
//      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0
//   why: the shared memory of a CTA that has ended belongs to the next one
//   fix (maybe): add `tma.wait.read 0` behind it, in the thread that stores
//     11:54: insert `; tma.wait.read 0`
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
