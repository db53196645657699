// mode: gates-fix
program p target sm_90
in x: f32[4, 16, 32]
out y: f32[4, 16, 32]
kernel k {
  grid (4)
  smem tile: f32[16, 32] swizzle 128
  role main: warps 2 {
    for r in warp..16 step 2 { st tile[r, lane] <- ld x[cta, r, lane] }
    fence async; sync role
    once { tma.store y[cta, :, :] <- tile }
  }
}
//--- expected
// // mode: gates-fix
// program p target sm_90
// in x: f32[4, 16, 32]
// out y: f32[4, 16, 32]
// kernel k {
//   grid (4)
//   smem tile: f32[16, 32] swizzle 128
//   role main: warps 2 {
//     for r in warp..16 step 2 { st tile[r, lane] <- ld x[cta, r, lane] }
//     fence async; sync role
//     once { tma.store y[cta, :, :] <- tile; tma.commit; tma.wait.read 0 }
//   }
// }
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule; the loop in line 9 not closed: places in shared memory that the trip or data decide
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule; the loop in line 9 not closed: places in shared memory that the trip or data decide
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
