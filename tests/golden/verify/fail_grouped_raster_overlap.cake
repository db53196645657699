// mode: gates
program grouped target sm_90
// Tiles in groups of GROUP rows of tiles, column by column; the last group may have fewer rows.
dim M in 1..=16384, N in 8..=16384
param GROUP in {4, 8} = 8
in x: f32[M, N]
out y: f32[M, N]
kernel copy {
  const BM = 32
  const BN = 32
  grid (SMS)
  let MT = ceildiv(M, BM)
  let NT = ceildiv(N, BN)
  iter work() -> (i32, i32) {
    for t in cta..MT*NT step ctas {
      let width = GROUP*NT - 1
      let first = t / width * GROUP
      let rows = min(MT - first, GROUP)
      yield (first + t % width % rows)*BM, t % width / rows * BN
    }
  }
  role main: warps 4 {
    for (m, n) in work() {
      for r in warp..BM step 4 {
        if m + r < M && n + lane < N { st y[m + r, n + lane] <- ld x[m + r, n + lane] }
      }
    }
  }
}
//--- expected
// error[CK2050]: `%`: division by zero
//   --> fail_grouped_raster_overlap.cake:19:22
//   19 |       yield (first + t % width % rows)*BM, t % width / rows * BN
//      |                      ^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 7, M=255, N=8, SMS=1
//   why: a step that has no result is an error of the program, not a value
//   fix (manual): bound it below, for example by the range of its dim
//
// error[CK2050]: `/`: division by zero
//   --> fail_grouped_raster_overlap.cake:19:44
//   19 |       yield (first + t % width % rows)*BM, t % width / rows * BN
//      |                                            ^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 7, M=255, N=8, SMS=1
//   why: a step that has no result is an error of the program, not a value
// bounds        unknown        7 of 8 accesses and indices proved, for every shape that the guard admits; unknown blocks
// alignment     not applicable there are no vector accesses
// overflow      refuted        21 of 21 index operations proved, for every shape that the guard admits; shown wrong at M=255, N=8, SMS=1
// races         explored       23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown; shown wrong at M=257, N=8, SMS=1
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
