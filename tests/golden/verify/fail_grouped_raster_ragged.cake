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
      let width = GROUP*NT
      let first = t / width * GROUP
      let rows = min(MT - first, GROUP)
      yield (first + t % width % rows)*BM, t % width / GROUP * BN
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
// error[CK2530]: two CTAs are not known to touch different elements of `y`
//   --> fail_grouped_raster_ragged.cake:25:43
//   25 |         if m + r < M && n + lane < N { st y[m + r, n + lane] <- ld x[m + r, n + lane] }
//      |                                           ^^^^^^^^^^^^^^^^^^
//   why: nothing orders the CTAs of a launch: where two of them touch one element and one writes it, the result is either's; the shapes that ran do not show it, larger ones may
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         20 of 20 index operations proved, for every shape that the guard admits
// races         explored       23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown; the loop in line 15 not closed: a loop inside whose trips are no constant
// global races  unknown        23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown; shown wrong at M=1, N=33, SMS=1
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
