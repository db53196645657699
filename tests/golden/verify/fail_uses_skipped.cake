// mode: gates
program p target sm_80
dim N in 1..=10000
in x: f32[32*N]
out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[3] { values: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N step 2 {
      acquire tiles@k
      st tiles.values@k[lane] <- 2.0 * (ld x[32*k + lane])
      commit tiles@k
    }
  }
  role drain: warps 1 {
    for k in 0..N step 2 {
      wait tiles@k
      st y[32*k + lane] <- ld tiles.values@k[31 - lane]
      release tiles@k
    }
  }
}
//--- expected
// error[CK2068]: `acquire tiles` of use 2; the next use of this warp is 1
//   --> fail_uses_skipped.cake:11:7
//   11 |       acquire tiles@k
//      |       ^^^^^^^^^^^^^^^
//   at: role fill, cta 0, warp 0, iteration 1, N=3
//   why: a warp uses every slot in turn, as hardware counts generations and not uses: skip one by wait and release
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         explored       6 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        6 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; shown wrong at N=3
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        6 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; shown wrong at N=2
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
