// mode: gates
program poll target sm_90
in x: f32[128]
out y: f32[128], early: i32[1]
kernel run {
  grid (1)
  smem s: f32[128]
  event full[1] count 1
  role main: warps 4 {
    if warp == 0 { bulk.load s <- x on full@0; expect full@0 }
    if test(full@0) {
      if thread == 0 { st early[0] <- 1 }
    } else {
      wait full@0
      if thread == 0 { st early[0] <- 0 }
    }
    st y[thread] <- ld s[127 - thread]
  }
}
//--- expected
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        1 shape run on the machine, all CTAs, five schedules; threads learn from each other: five orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `early` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, five schedules; threads learn from each other: five orders of many ran
// interleavings bounded        orders that ran: 5 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        1 shape run on the machine, all CTAs, five schedules; threads learn from each other: five orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
