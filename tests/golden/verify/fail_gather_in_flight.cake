// mode: gates
program p target sm_100
dim N in 4..=4096
in x: f32[N, 32]
out y: f32[32]
kernel k {
  grid (1)
  smem tile: f32[4, 32]
  event full[1] count 1
  role main: warps 1 {
    tma.gather4 tile <- x[[3, 2, 1, 0], 0:+32] on full@0
    expect full@0
    st y[lane] <- ld tile[0, lane]
    wait full@0
  }
}
//--- expected
// error[CK2100]: `ld` of `tile` comes before the `tma.gather4` that fills it is known to be complete
//   --> fail_gather_in_flight.cake:13:22
//   13 |     st y[lane] <- ld tile[0, lane]
//      |                      ^^^^^^^^^^^^^
//   11 |     tma.gather4 tile <- x[[3, 2, 1, 0], 0:+32] on full@0
//      |     ---------------------------------------------------- issued here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 0, bytes 0..4, N=4
//   why: the copy runs beside the threads; only a completed wait, and a barrier for other threads, orders what comes after it
//   fix (manual): wait for the event that the load completes on
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=4
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
