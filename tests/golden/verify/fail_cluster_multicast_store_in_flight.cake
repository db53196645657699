// mode: gates
program multicast_store target sm_90
// Each CTA of a cluster loads half of a tile for both, and writes all of it to its own place by TMA: a slot
// is refilled when the stores of both CTAs may still read it.
dim N in 1..=4096
in x: f32[64, N]
out y: f32[2, 64, N]
where N % 64 == 0
kernel run {
  cluster 2
  grid (2)
  ring box[2] { v: f32[64, 64] } from load to store cluster
  role load: warps 1 {
    let half = cluster.rank*32
    for k in 0..N/64 {
      acquire box@k
      tma.load box.v@k[half:+32, :] <- x[half:+32, k*64:+64] multicast 3
      commit box@k
    }
  }
  role store: warps 1 {
    for k in 0..N/64 {
      wait box@k
      once { tma.store y[cta, :, k*64:+64] <- box.v@k; tma.commit }
      release box@k
      once { tma.wait.read 0 }
    }
  }
}
//--- expected
// error[CK2101]: `tma.load` overwrites `box.v` while the `tma.store` may still read it
//   --> fail_cluster_multicast_store_in_flight.cake:17:16
//   17 |       tma.load box.v@k[half:+32, :] <- x[half:+32, k*64:+64] multicast 3
//      |                ^^^^^^^^^^^^^^^^^^^^
//   24 |       once { tma.store y[cta, :, k*64:+64] <- box.v@k; tma.commit }
//      |              ---------------------------------------- issued here by role store, warp 0
//   at: role load, cta 0, warp 0, lane 0, iteration 2, bytes 0..4, N=192
//   why: the copy runs beside the threads; its source may be reused when it is known to be read
//   fix (manual): `tma.commit` and `tma.wait.read 0` by the threads that copy, then a barrier that both sides reach
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         5 of 5 vector accesses proved, for every shape that the guard admits
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         refuted        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=192
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
