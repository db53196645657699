// mode: gates
program p target sm_90a
in x: bf16[128, 64], w: bf16[64, 64]
out y: f32[64, 64]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    for r in warp..128 step 4 { st a[r, lane*2:+2] <- ld x[r, lane*2:+2] }
    for r in warp..64 step 4 { st b[r, lane*2:+2] <- ld w[r, lane*2:+2] }
    sync role
    var acc: wgmma f32[64, 64]
    wgmma acc = a[0:+64, :] * b.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2102]: `wgmma` accesses `a` through the async proxy and may not see the `st` before it
//   --> fail_wgmma_no_fence.cake:14:17
//   14 |     wgmma acc = a[0:+64, :] * b.T
//      |                 ^^^^^^^^^^^
//   10 |     for r in warp..128 step 4 { st a[r, lane*2:+2] <- ld x[r, lane*2:+2] }
//      |                                 ---------------------------------------- written here by role main, warp 0
//   at: role main, cta 0, warp 3, lane 3
//   why: PTX ISA, proxies: a generic write becomes visible to asynchronous copies through `fence async` between the two
//   fix (machine): insert `fence async` before this statement
//     12:5: insert `fence async\n    `
//
// error[CK2102]: `wgmma` accesses `b` through the async proxy and may not see the `st` before it
//   --> fail_wgmma_no_fence.cake:14:31
//   14 |     wgmma acc = a[0:+64, :] * b.T
//      |                               ^^^
//   11 |     for r in warp..64 step 4 { st b[r, lane*2:+2] <- ld w[r, lane*2:+2] }
//      |                                ---------------------------------------- written here by role main, warp 1
//   at: role main, cta 0, warp 3, lane 3
//   why: PTX ISA, proxies: a generic write becomes visible to asynchronous copies through `fence async` between the two
//   fix (machine): insert `fence async` before this statement
//     12:5: insert `fence async\n    `
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
