// mode: gates
program p target sm_90
dim M in 1..=24
in x: bf16[M, 64]
out y: bf16[M, 64]
kernel copy {
  grid (ceildiv(M, 8))
  smem tile: bf16[8, 64]
  event full[1] count 1
  role load: warps 1 { tma.load tile <- x[cta*8:+8, :] on full@0; expect full@0 }
  role store: warps 2 {
    wait full@0
    for r in warp..8 step 2 {
      let m = cta*8 + r
      if m < M { st y[m, lane*2:+2] <- ld tile[r, lane*2:+2] }
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 13 not closed: a condition that is no threshold and no remainder
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 13 not closed: a condition that is no threshold and no remainder
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
