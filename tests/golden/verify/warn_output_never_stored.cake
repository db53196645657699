// mode: gates
program p target sm_80
in x: f32[32]
out y: f32[32], z: f32[32]
kernel k {
  grid (1)
  role main: warps 1 { st y[lane] <- ld x[lane] }
}
//--- expected
// warning[CK2549]: no statement stores to `z`
//   --> warn_output_never_stored.cake:4:17
//    4 | out y: f32[32], z: f32[32]
//      |                 ^
//   why: memory of an output is not cleared before a launch: what no thread stores to holds what was there
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at 
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
