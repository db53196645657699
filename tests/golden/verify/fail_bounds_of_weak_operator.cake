// mode: gates
program t target sm_80
dim N in 1..=1000
in x: i32[N]; out y: i32[16]
kernel k {
  grid (1)
  role main: warps 1 {
    if lane < N { st y[(ld x[lane]) | 1] <- 1 }
  }
}
//--- expected
// warning[CK2024]: several threads write the same value to the same element of `y`
//   --> fail_bounds_of_weak_operator.cake:8:19
//    8 |     if lane < N { st y[(ld x[lane]) | 1] <- 1 }
//      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 2, N=3
//   why: the result does not depend on who is last, but all but one of the writes are wasted
//
// error[CK2501]: access to `y` is not proven in bounds: it needs `((ld x[lane]) | 1) >= 0 && ((ld x[lane]) | 1) < 16`
//   --> fail_bounds_of_weak_operator.cake:8:22
//    8 |     if lane < N { st y[(ld x[lane]) | 1] <- 1 }
//      |                      ^^^^^^^^^^^^^^^^^^^
//    4 | in x: i32[N]; out y: i32[16]
//      |                   - declared here
//   why: an access is proven in bounds for every shape that the guard admits, or carries an `else`
// bounds        unknown        1 of 2 accesses and indices proved, for every shape that the guard admits; unknown blocks
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
