// mode: gates
program p target sm_80
in x: i32[64]
out y: i32[64]
kernel run {
  grid (1)
  smem count: i32[1]
  role main: warps 2 {
    once { st count[0] <- 0 }
    sync cta
    red.add.relaxed.cta(count[0], ld x[thread])
    st y[thread] <- ld count[0]
  }
}
//--- expected
// error[CK2161]: `ld` of `count` by warp 1 meets `red.add.relaxed.cta` by warp 1 without an order
//   --> fail_shared_count_read_early.cake:12:24
//   12 |     st y[thread] <- ld count[0]
//      |                        ^^^^^^^^
//   11 |     red.add.relaxed.cta(count[0], ld x[thread])
//      |     ------------------------------------------- `red.add.relaxed.cta` here by role main, warp 1
//   at: role main, cta 0, warp 1, lane 0, bytes 0..4
//   why: one of the two is a plain access: only accesses that both have an order may meet at one word
//   fix (manual): access the word with an order on both sides, or put a barrier between them
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
