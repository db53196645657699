// mode: gates
program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  role main: warps 1 {
    var i = 0
    while i < N { i = 0 }
    if lane < N { st y[lane] <- cvt.f32(i) }
  }
}
//--- expected
// error[CK6201]: the run was stopped after 6000000 lane statements
//   --> fail_endless_loop.cake:9:19
//    9 |     while i < N { i = 0 }
//      |                   ^^^^^
//   at: role main, cta 0, warp 0, iteration 93749, N=1
//   why: the machine bounds every run; a loop that waits for another role must wait on a barrier
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, one schedule; 1 of 4 boundary values of dims and args shown; 3 not run
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        1 shape run on the machine, all CTAs, one schedule; 1 of 4 boundary values of dims and args shown; 3 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
