// mode: gates
// A count that begins with an ordered store: who adds to it comes behind the store by a flag.
program p target sm_80
out y: u32[1]
workspace count: u32[1]
workspace flag: u32[1] zero
kernel run {
  grid (2)
  role main: warps 1 {
    once {
      if cta == 0 {
        st.relaxed.gpu count[0] <- 1
        st.release.gpu flag[0] <- 1
      } else {
        while (ld.acquire.gpu flag[0]) == 0 {}
        red.add.relaxed.gpu(count[0], 1)
        st y[0] <- ld.relaxed.gpu count[0]
      }
    }
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `count` disjoint, `flag` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs; P1: a loop polls memory: what it waits for may come and go
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
