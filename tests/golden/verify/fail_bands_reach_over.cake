// mode: gates
program overlap target sm_90
// The second half of the warps reaches one row into the tile below.
dim M in 1..=16384, N in 8..=16384
param GROUP in {4, 8} = 8
in x: f32[M, N]
out y: f32[M, N]
kernel copy {
  const BM = 16
  const BN = 64
  grid (SMS)
  let MT = ceildiv(M, BM)
  let NT = ceildiv(N, BN)
  role main: warps 8 {
    for t in cta..ceildiv(MT, GROUP)*GROUP*NT step ctas {
      let i = t / GROUP
      let band = i / NT * GROUP + t % GROUP
      if band < MT {
        for e in 0..4 {
          let row = band*BM + warp/4*9 + lane/4
          let col = i % NT * BN + warp%4*16 + lane%4*4 + e
          if row < M && col < N { st y[row, col] <- ld x[row, col] }
        }
      }
    }
  }
}
//--- expected
// error[CK2023]: `st` of `y` by CTA 1 is not ordered with the `st` by CTA 0
//   --> fail_bands_reach_over.cake:22:38
//   22 |           if row < M && col < N { st y[row, col] <- ld x[row, col] }
//      |                                      ^^^^^^^^^^^
//   22 |           if row < M && col < N { st y[row, col] <- ld x[row, col] }
//      |                                   -------------------------------- written here by role main, warp 4, CTA 0
//   at: role main, cta 1, warp 0, lane 0, iteration 0, bytes 512..516, M=2049, N=8, SMS=4
//   why: the CTAs of one kernel run in any order; what one writes, only a later kernel may touch
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         25 of 25 index operations proved, for every shape that the guard admits
// races         bounded        23 shapes run on the machine, all CTAs, one schedule; 26 of 36 boundary values of dims and args shown; 11 not run
// global races  refuted        23 shapes run on the machine, all CTAs, one schedule; 26 of 36 boundary values of dims and args shown; 11 not run; shown wrong at M=2049, N=8, SMS=4 (`y` not proven)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        23 shapes run on the machine, all CTAs, one schedule; 26 of 36 boundary values of dims and args shown; 11 not run; shown wrong at M=9, N=8, SMS=1
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
