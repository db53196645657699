// mode: gates-strict
program p target sm_90
dim K in 1..=8
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  event free[1] count 1
  role load: warps 1 {
    for k in 0..K {
      wait free@(k - 1)
      bulk.load s <- x[k, :] on full@k
      expect full@k
    }
  }
  role copy: warps 1 {
    for k in 0..K {
      wait full@k
      st y[k, lane] <- ld s[lane]
      arrive free@k
    }
  }
}
//--- expected
// error[CK2560]: `bulk.load` overwrites `s` through the async proxy, and no fence covers the `ld` before it
//   --> fail_strict_refill.cake:14:17
//   14 |       bulk.load s <- x[k, :] on full@k
//      |                 ^
//   21 |       st y[k, lane] <- ld s[lane]
//      |       --------------------------- read here by role copy, warp 0
//   at: role load, cta 0, warp 0, lane 0, iteration 1, K=2
//   why: the vendor's text does not say that a barrier alone orders a generic read before an asynchronous write: under strict proxies `fence async` lies between the two
//   fix (machine): insert `fence async` before this statement
//     14:7: insert `fence async\n      `
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at K=2
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
