// mode: gates
program p target sm_80
dim E in 1..=64
in n: i32[E], x: f32[E, 32]
out y: f32[E, 32]
where n in 0..=8
kernel k {
  grid (E)
  role main: warps 1 {
    var s: f32 = 0.0
    for i in 0..ld n[cta] { s += ld x[cta, lane] }
    if (ld n[cta]) > 0 { st y[cta, lane] <- s }
  }
}
//--- expected
// error[CK2546]: nothing is stored to `y[2, 0]`
//   --> fail_output_by_data.cake:12:29
//   12 |     if (ld n[cta]) > 0 { st y[cta, lane] <- s }
//      |                             ^^^^^^^^^^^^
//    5 | out y: f32[E, 32]
//      |     - declared here
//   at: E=3
//   why: memory of an output is not cleared before a launch: what no thread stores to holds what was there
//   fix (manual): store to all of it, or declare `inout y`: what is not stored to then keeps its value
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at E=3
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: n in 0..=8; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
