// mode: gates
program p target sm_80
dim N in 1..=300
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 64))
  smem tile[2]: f32[64]
  role main: warps 2 {
    let i = cta*64 + thread
    cp.async tile@0[thread] <- x[i] else 0.0
    cp.async.commit; cp.async.wait 0; sync role
    if i < N { st y[i] <- ld tile@0[63 - thread] }
    cp.async tile@0[thread] <- x[i] else 0.0
    cp.async.commit; cp.async.wait 0; sync role
  }
}
//--- expected
// error[CK2103]: `cp.async` of `tile` is not ordered after the `ld` before it
//   --> fail_async_refilled_too_early.cake:14:14
//   14 |     cp.async tile@0[thread] <- x[i] else 0.0
//      |              ^^^^^^^^^^^^^^
//   13 |     if i < N { st y[i] <- ld tile@0[63 - thread] }
//      |                --------------------------------- made here by role main, warp 0
//   at: role main, cta 0, warp 1, lane 31, bytes 252..256, N=1
//   why: an asynchronous copy comes after what the thread that issues it knows to be done
//   fix (maybe): insert `sync cta` before this statement
//     14:5: insert `sync cta\n    `
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run; shown wrong at N=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
