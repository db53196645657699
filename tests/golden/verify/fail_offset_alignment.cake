// mode: gates
program p target sm_80
out y: f32[256]
kernel k {
  grid (1)
  role main: warps 1 { st y[lane*6:+4] <- 0.0 }
}
//--- expected
// error[CK2006]: `y[lane*6:+4]`: a vector of 16 bytes starts at byte 24, which is not a multiple of it
//   --> fail_offset_alignment.cake:6:27
//    6 |   role main: warps 1 { st y[lane*6:+4] <- 0.0 }
//      |                           ^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 1
//   why: a vector access must be aligned to its own size, or the hardware faults
//   fix (manual): access one element at a time where the rest is not aligned
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     refuted        0 of 1 vector accesses proved, for every shape that the guard admits; shown wrong at the only shape
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
