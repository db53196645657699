// mode: gates
program ps target sm_90
dim T in 1..=4096
in x: f32[T, 32, 32]
out y: f32[T, 32, 32]
kernel run {
  grid (SMS)
  smem s[2]: f32[32, 32]
  smem o[2]: f32[32, 32]
  event full[2] count 1
  event free[2] count 4
  role ld: warps 1 {
    var k = 0
    for t in cta..T step ctas {
      wait free@(k-2)
      tma.load s@k <- x[t, :, :] on full@k
      expect full@k
      if k < T { k += 1 }
    }
  }
  role main: warps 4 {
    var k = 0
    for t in cta..T step ctas {
      wait full@k
      once { tma.wait.read 2 }
      sync role
      for r in warp..32 step 4 { st o@k[r, lane] <- 2.0 * (ld s@k[r, lane]) }
      arrive free@k
      fence async; sync role
      once { tma.store y[t, :, :] <- o@k; tma.commit }
      if k < T { k += 1 }
    }
    once { tma.wait.read 0 }
  }
}
//--- expected
// error[CK2101]: `st` overwrites `o` while the `tma.store` may still read it
//   --> fail_one_group_too_many_pends.cake:27:37
//   27 |       for r in warp..32 step 4 { st o@k[r, lane] <- 2.0 * (ld s@k[r, lane]) }
//      |                                     ^^^^^^^^^^^^
//   30 |       once { tma.store y[t, :, :] <- o@k; tma.commit }
//      |              --------------------------- issued here by role main, warp 0
//   25 |       once { tma.wait.read 2 }
//      |              --------------- lets so many groups pend: 2
//   at: role main, cta 0, warp 3, lane 0, iteration 0, bytes 384..388, T=3, SMS=1
//   why: the copy runs beside the threads; its source may be reused when it is known to be read
//   fix (machine): let 1 pend
//     25:28: `2` -> `1`
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         refuted        6 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown; shown wrong at T=3, SMS=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       6 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       6 shapes run on the machine, all CTAs, one schedule; 6 of 6 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
