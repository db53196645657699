// mode: gates
// What a lane wrote before the warp came together, and what it wrote itself.
program p target sm_80
out y: u32[2]
workspace box: u32[2]
kernel run {
  grid (1)
  role main: warps 1 {
    if lane == 0 { st.relaxed.gpu box[0] <- 7 }
    if lane == 6 { st.relaxed.gpu box[1] <- 8; st y[1] <- ld.relaxed.gpu box[1] }
    sync warp
    if lane == 5 { st y[0] <- ld.relaxed.gpu box[0] }
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `box` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
