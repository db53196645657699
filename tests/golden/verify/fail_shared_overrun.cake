// mode: gates
program p target sm_80
dim N in 1..=1000
inout y: f32[N]
kernel k {
  grid (1)
  smem t: f32[64]
  role main: warps 4 {
    st t[thread] <- 1.0
    sync cta
    if thread < N && thread < 64 { st y[thread] <- ld t[thread] }
  }
}
//--- expected
// error[CK2003]: `t[thread]` in shared memory: index 64 of dimension 0 is outside 0..64
//   --> fail_shared_overrun.cake:9:8
//    9 |     st t[thread] <- 1.0
//      |        ^^^^^^^^^
//   at: role main, cta 0, warp 2, lane 0, N=1
//   why: the bytes beyond a shared buffer belong to its neighbour
//   fix (machine): store only where `thread < 64`
//     9:5: insert `if thread < 64 { `
//     9:24: insert ` }`
// bounds        refuted        2 of 3 accesses and indices proved, for every shape that the guard admits; shown wrong at N=1
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
