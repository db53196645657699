// mode: gates
program p target sm_80
in x: f32[16, 104]
out y: f32[16, 104]
kernel k {
  grid (1)
  role main: warps 12 {
    for c in 0..104/12 {
      let col = warp*(104/12) + c
      if lane < 16 { st y[lane, col] <- ld x[lane, col] }
    }
  }
}
//--- expected
// error[CK2546]: nothing is stored to `y[0, 96]`
//   --> fail_output_left_out.cake:10:25
//   10 |       if lane < 16 { st y[lane, col] <- ld x[lane, col] }
//      |                         ^^^^^^^^^^^^
//    4 | out y: f32[16, 104]
//      |     - declared here
//   why: memory of an output is not cleared before a launch: what no thread stores to holds what was there
//   fix (manual): store to all of it, or declare `inout y`: what is not stored to then keeps its value
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at 
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
