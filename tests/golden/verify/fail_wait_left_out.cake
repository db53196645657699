// mode: gates
program p target sm_80
const N = 8
in x: f32[32*N]
out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[16] { values: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire tiles@k
      st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
      commit tiles@k
    }
  }
  role drain: warps 1 {
    for k in 0..N {
      st y[32*k + lane] <- ld tiles.values@k[31 - lane]
      release tiles@k
    }
  }
}
//--- expected
// error[CK2020]: `ld` of `tiles.values` by warp 0 is not ordered after the `st` by warp 0
//   --> fail_wait_left_out.cake:18:31
//   18 |       st y[32*k + lane] <- ld tiles.values@k[31 - lane]
//      |                               ^^^^^^^^^^^^^^^^^^^^^^^^^
//   12 |       st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
//      |       ---------------------------------------------------- written here by role fill, warp 0
//   13 |       commit tiles@k
//      |       -------------- role fill hands over here, but role drain does not wait for that before its access
//   at: role drain, cta 0, warp 0, lane 0, iteration 0, bytes 124..128
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
