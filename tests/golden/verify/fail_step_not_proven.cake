// mode: gates
program p target sm_80
dim S in 0..=8
out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 { elect { for i in 0..64 step S { st y[i] <- 0.0 } } }
}
//--- expected
// error[CK2051]: a loop has the step 0
//   --> fail_step_not_proven.cake:7:41
//    7 |   role main: warps 1 { elect { for i in 0..64 step S { st y[i] <- 0.0 } } }
//      |                                         ^^^^^
//   at: role main, cta 0, warp 0, lane 0, S=0
//   why: trips are counted upwards and fixed at entry; the step must be positive
//
// error[CK2504]: the step `S` is not proven positive
//   --> fail_step_not_proven.cake:7:52
//    7 |   role main: warps 1 { elect { for i in 0..64 step S { st y[i] <- 0.0 } } }
//      |                                                    ^
//   why: the trips of a range loop are fixed at entry; with a step of 0 or less there is no such number
//   fix (manual): bound it below, for example by the range of its dim
// bounds        refuted        1 of 2 accesses and indices proved, for every shape that the guard admits; shown wrong at S=0
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at S=2
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
