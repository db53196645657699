// mode: gates
// Words that nobody clears, by ordered accesses: who reads them comes behind who wrote them by a flag.
program p target sm_80
in x: u32[32]
out y: u32[32]
workspace box: u32[32]
workspace flag: u32[1] zero
kernel run {
  grid (2)
  role main: warps 1 {
    if cta == 0 {
      st.relaxed.gpu box[lane] <- ld x[lane]
      sync warp
      once { st.release.gpu flag[0] <- 1 }
    } else {
      once { while (ld.acquire.gpu flag[0]) == 0 {} }
      sync warp
      st y[lane] <- ld.relaxed.gpu box[31 - lane]
    }
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `box` disjoint, `flag` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs; P1: a loop polls memory: what it waits for may come and go
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
