// mode: gates
program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  smem t: f32[32]
  barrier full threads 64
  barrier empty threads 64
  role load: warps 1 {
    bar.sync empty
    st t[lane] <- 1.0
    bar.arrive full
  }
  role math: warps 1 {
    bar.sync full
    if lane < N { st y[lane] <- ld t[lane] }
    bar.arrive empty
  }
}
//--- expected
// error[CK2040]: no warp can move: `empty` has 32 of 64 arrivals
//   --> fail_deadlock.cake:11:5
//   11 |     bar.sync empty
//      |     ^^^^^^^^^^^^^^
//   16 |     bar.sync full
//      |     ------------- role math waits here for `full`: 32 of 64
//   at: role load, cta 0, warp 0, N=1
//   waits: role math on full: 32 of 64 arrived, missing role load waits for `empty`
//   waits: role load on empty: 32 of 64 arrived, missing role math waits for `full`
//   why: a barrier opens when the declared number of threads has arrived
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
