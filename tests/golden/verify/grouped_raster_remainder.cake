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
      yield (first + t % rows)*BM, t % width / rows * BN
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
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         19 of 19 index operations proved, for every shape that the guard admits
// races         explored       23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown; the loop in line 15 not closed: a loop inside whose trips are no constant
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       23 shapes run on the machine, all CTAs, one schedule; 27 of 27 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
