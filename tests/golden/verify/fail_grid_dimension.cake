// mode: gates
program p target sm_80
dim M in 1..=100000
out y: f32[M, 32]
kernel k {
  grid (1, M)
  role main: warps 1 { st y[cta.y, lane] <- 0.0 }
}
//--- expected
// error[CK3202]: grid dimension 1 may reach 100000 CTAs; sm_80 allows 65535
//   --> fail_grid_dimension.cake:6:12
//    6 |   grid (1, M)
//      |            ^
//   why: a launch with a larger extent fails; only the first dimension may be large
//   fix (manual): cap the dims it grows with (`dim N in 1..=..`), or make it the first dimension
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     unknown        1 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
