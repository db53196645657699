// mode: gates
program bands target sm_90
// Tiles in bands of GROUP rows of tiles, parts of a tile by quotient and remainder of the warp.
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
          let row = band*BM + warp/4*8 + lane/4
          let col = i % NT * BN + warp%4*16 + lane%4*4 + e
          if row < M && col < N { st y[row, col] <- ld x[row, col] }
        }
      }
    }
  }
}
//--- expected
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         25 of 25 index operations proved, for every shape that the guard admits
// races         bounded        36 shapes run on the machine, all CTAs, one schedule; 40 of 41 boundary values of dims and args shown; the loop in line 15 not closed: a condition that is no threshold and no remainder
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   bounded        36 shapes run on the machine, all CTAs, one schedule; 40 of 41 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
