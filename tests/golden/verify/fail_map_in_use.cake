// mode: gates
program p target sm_90a
dim T in 128..=4096
inout y: f32[T, 32]
kernel k {
  grid (1)
  smem tile: f32[64, 32] swizzle 128
  tensormap y
  role main: warps 1 {
    for r in 0..64 { st tile[r, lane] <- 1.0 }
    fence async
    sync role
    for m in 0..2 {
      tensormap.set y[m*64 + 40, :]
      once { tma.store y[m*64:+64, :] <- tile; tma.commit }
    }
    once { tma.wait 0 }
  }
}
//--- expected
// error[CK2455]: `tensormap.set` of `y` while the `tma.store` through its map may still run
//   --> fail_map_in_use.cake:14:7
//   14 |       tensormap.set y[m*64 + 40, :]
//      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   15 |       once { tma.store y[m*64:+64, :] <- tile; tma.commit }
//      |              -------------------------------- issued here
//   at: role main, cta 0, warp 0, iteration 1, T=128
//   why: the hardware reads the map when it makes the copy; the warp that sets it again knows that its copies are complete: `tma.wait 0` of stores, the event of loads
//   fix (manual): wait for it before the map is set again
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at T=128
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); `k.maps` begins at a multiple of 128 bytes (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
