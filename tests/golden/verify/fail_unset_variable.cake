// mode: gates
program p target sm_80
dim N in 1..=64
in x: f32[N]
out y: f32[N]
kernel k {
  grid (1)
  role main: warps 2 {
    var best: f32
    for i in 1..N { best = max(best, ld x[i]) }
    if thread < N { st y[thread] <- best }
  }
}
//--- expected
// error[CK2011]: the value of `best` was never set and is stored to `y`
//   --> fail_unset_variable.cake:11:21
//   11 |     if thread < N { st y[thread] <- best }
//      |                     ^^^^^^^^^^^^^^^^^^^^
//    9 |     var best: f32
//      |     ------------- declared here without a value
//   at: role main, cta 0, warp 0, lane 0, N=1
//   why: an undefined value may not leave the CTA
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
