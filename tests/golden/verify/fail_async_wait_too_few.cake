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
    cp.async.commit
    cp.async tile@1[thread] <- x[i] else 0.0
    cp.async.commit
    cp.async.wait 1
    if i < N { st y[i] <- ld tile@1[thread] }
  }
}
//--- expected
// error[CK2100]: `ld` of `tile` comes before the `cp.async` that fills it is known to be complete
//   --> fail_async_wait_too_few.cake:16:30
//   16 |     if i < N { st y[i] <- ld tile@1[thread] }
//      |                              ^^^^^^^^^^^^^^
//   13 |     cp.async tile@1[thread] <- x[i] else 0.0
//      |     ---------------------------------------- issued here by role main, warp 0
//   15 |     cp.async.wait 1
//      |     --------------- lets so many groups pend: 1
//   at: role main, cta 0, warp 0, lane 0, bytes 256..260, N=1
//   why: the copy runs beside the threads; only a completed wait, and a barrier for other threads, orders what comes after it
//   fix (machine): let 0 pend
//     15:19: `1` -> `0`
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run; shown wrong at N=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
