// mode: gates
program p target sm_100a
dim M in 1..=64
in x: f32[M, 12]; out y: f32[M]
kernel k {
  grid (M)
  role main: warps 1 {
    let v = ld x[cta, 0:+8]
    if lane == 0 { st y[cta] <- v[7] }
  }
}
//--- expected
// error[CK2006]: `x[cta, 0:+8]`: a vector of 32 bytes starts at byte 48, which is not a multiple of it
//   --> fail_wide_vector_unaligned.cake:8:16
//    8 |     let v = ld x[cta, 0:+8]
//      |                ^^^^^^^^^^^^
//   at: role main, cta 1, warp 0, lane 0, M=2
//   why: a vector access must be aligned to its own size, or the hardware faults
//   fix (manual): access one element at a time where the rest is not aligned
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     refuted        0 of 1 vector accesses proved, for every shape that the guard admits; shown wrong at M=2
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
