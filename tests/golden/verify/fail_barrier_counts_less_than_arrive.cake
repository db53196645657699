// mode: gates
program roles target sm_80
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
workspace tmp: f32[N, 32]
kernel run {
  grid (N)
  barrier b threads 32
  role p: warps 1 {
    st tmp[cta, lane] <- ld x[cta, lane]
    bar.arrive b
  }
  role c: warps 1 {
    bar.sync b
    st y[cta, lane] <- (ld tmp[cta, 31 - lane]) * 2.0
  }
}
//--- expected
// error[CK2042]: a warp arrives at `b` without knowing that generation 0 is complete
//   --> fail_barrier_counts_less_than_arrive.cake:15:5
//   15 |     bar.sync b
//      |     ^^^^^^^^^^
//    9 |   barrier b threads 32
//      |           - counts 32 threads, and 64 arrive
//   at: role c, cta 0, warp 0, N=1
//   why: until it is complete the arrival counts into the old generation, which then opens too early
//   fix (manual): let it count 64, if all of them meet at one time
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `tmp` disjoint)
// deadlock      refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
