// mode: gates
program spin target sm_80
out y: f32[32]
kernel run {
  grid (1)
  event f[1] count 2
  role main: warps 1 {
    arrive f@0
    while !test(f@0) {}
    st y[lane] <- 1.0
  }
}
//--- expected
// error[CK2061]: `f@0` gets 1 arrivals, 2 are declared
//   --> fail_spin_never_ends.cake:6:9
//    6 |   event f[1] count 2
//      |         ^
//    8 |     arrive f@0
//      |     ---------- the last arrival is here
//   at: role main, cta 0, warp 0, iteration 0
//   waits: role main on f@0: 1 of 2 arrived, missing nobody else arrives at it
//   why: an mbarrier completes a generation at exactly its count of arrivals; the rest never comes
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
