// mode: gates
// The reader comes behind the writer by the barrier.
program p target sm_80
out y: u32[1]
kernel run {
  grid (1)
  smem s: u32[1]
  barrier written threads 64
  role a: warps 1 {
    once { st.relaxed.cta s[0] <- 3 }
    bar.sync written
  }
  role b: warps 1 {
    bar.sync written
    once { st y[0] <- ld.relaxed.cta s[0] }
  }
}
//--- expected
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, one schedule; threads learn from each other: one order of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, one schedule; threads learn from each other: one order of many ran
// interleavings bounded        orders that ran: 1 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        1 shape run on the machine, all CTAs, one schedule; threads learn from each other: one order of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
