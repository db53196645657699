// mode: gates
program sg target sm_90
dim N in 1..=4096
in x: f32[N, 128]
out y: f32[N, 128]
kernel k {
  grid (SMS)
  smem s[2]: f32[128]
  role m: warps 4 {
    var k = 0
    for t in cta..N step ctas {
      if t < ctas { sync role }
      st s@(t % 2)[thread] <- ld x[t, thread]
      fence async; sync role
      once { bulk.store y[t, :] <- s@(t % 2); tma.commit; tma.wait.read 1 }
      sync role
      if k < N { k += 1 }
    }
    once { tma.wait.read 0 }
  }
}
//--- expected
// error[CK2101]: `st` overwrites `s` while the `bulk.store` may still read it
//   --> fail_persistent_stage_of_tile.cake:13:10
//   13 |       st s@(t % 2)[thread] <- ld x[t, thread]
//      |          ^^^^^^^^^^^^^^^^^
//   15 |       once { bulk.store y[t, :] <- s@(t % 2); tma.commit; tma.wait.read 1 }
//      |              ------------------------------- issued here by role m, warp 0
//   15 |       once { bulk.store y[t, :] <- s@(t % 2); tma.commit; tma.wait.read 1 }
//      |                                                           --------------- lets so many groups pend: 1
//   at: role m, cta 0, warp 1, lane 0, iteration 1, bytes 128..132, N=17, SMS=2
//   why: the copy runs beside the threads; its source may be reused when it is known to be read
//   fix (machine): let 0 pend
//     15:73: `1` -> `0`
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         refuted        12 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown; shown wrong at N=17, SMS=2
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       12 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
