// mode: gates
program p target sm_90
dim N in 1..=4000
in x: f32[N, 32]
out y: f32[N, N, 32]
kernel k {
  grid (N)
  smem s[2]: f32[32]
  event full[2] count 1
  event free[2] count 1
  role fill: warps 1 {
    for k in 0..N {
      wait free@(k - 2)
      st s@k[lane] <- ld x[k, lane]
      arrive full@k
    }
  }
  role drain: warps 1 {
    for k in 0..N {
      wait full@k
      st y[cta.x, k, lane] <- ld s@k[lane]
      if cta.x != 40 { arrive free@k }
    }
  }
}
//--- expected
// error[CK2060]: nothing can move: role fill waits for `free@0`, which has 0 of 1 arrivals
//   --> fail_trips_open_by_cta.cake:13:7
//   13 |       wait free@(k - 2)
//      |       ^^^^^^^^^^^^^^^^^
//   20 |       wait full@k
//      |       ----------- role drain waits here for `full@2`: 0 of 1 arrivals
//   at: role fill, cta 40, warp 0, iteration 2, N=41
//   waits: role drain on full@2: 0 of 1 arrived, missing role fill waits for `free@0`
//   waits: role fill on free@0: 0 of 1 arrived, missing role drain waits for `full@2`
//   why: an mbarrier completes a generation when all its arrivals are in, and nobody is left to bring them
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=41
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
