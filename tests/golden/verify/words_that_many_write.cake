// mode: gates
// Words that several CTAs write first, in any order: each reads behind a write of its own, or behind one that a flag orders.
program p target sm_80
out y: u32[5]
workspace own: u32[1]
workspace box: u32[1]
workspace swapped: u32[1]
workspace flag: u32[1] zero
kernel run {
  grid (3)
  role main: warps 1 {
    once {
      if cta < 2 {
        st.relaxed.gpu own[0] <- 7
        st y[cta] <- ld.relaxed.gpu own[0]
        let old = atomic.exch.relaxed.gpu(swapped[0], 5)
        st y[2 + cta] <- ld.relaxed.gpu swapped[0]
      }
      if cta == 0 { st.relaxed.gpu box[0] <- 9 }
      if cta == 1 { st.relaxed.gpu box[0] <- 9; st.release.gpu flag[0] <- 1 }
      if cta == 2 {
        while (ld.acquire.gpu flag[0]) == 0 {}
        st y[4] <- ld.relaxed.gpu box[0]
      }
    }
  }
}
//--- expected
// bounds        proved         12 of 12 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `own` disjoint, `box` disjoint, `swapped` disjoint, `flag` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs; P1: a loop polls memory: what it waits for may come and go
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
