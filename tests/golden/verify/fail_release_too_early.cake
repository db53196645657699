// mode: gates
program p target sm_80
dim N in 1..=10000
in x: f32[32*N]
out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[3] { values: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire tiles@k
      st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
      commit tiles@k
    }
  }
  role drain: warps 1 {
    for k in 0..N {
      wait tiles@k
      release tiles@k
      st y[32*k + lane] <- ld tiles.values@k[31 - lane]
    }
  }
}
//--- expected
// error[CK2451]: `tiles.values` is read after its slot was given back
//   --> fail_release_too_early.cake:19:7
//   19 |       release tiles@k
//      |       ^^^^^^^^^^^^^^^
//   20 |       st y[32*k + lane] <- ld tiles.values@k[31 - lane]
//      |       ------------------------------------------------- read here by role drain, warp 0
//   12 |       st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
//      |          -------------------- may be filled again here by role fill
//   at: role fill, cta 0, warp 0, lane 0, iteration 3, bytes 0..4, N=6
//   why: a release says that the warp is through with the slot: the other role may fill it again from then on
//   fix (manual): release the slot behind its last access
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         refuted        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=6
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
