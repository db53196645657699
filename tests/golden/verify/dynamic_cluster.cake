// mode: gates
program p target sm_100a
dim N in 0..=64
in x: f32[2*N, 128]
out y: f32[2*N, 128]
kernel k {
  cluster 2
  grid (2*N)
  dynamic iter work() -> (i32) { for t in cta..2*N step ctas { yield t } }
  role main: warps 4 {
    for t in work() { st y[t, thread] <- 2.0 * (ld x[t, thread]) }
  }
}
//--- expected
// advice[CK2590]: no run of the machine repeats this loop more than 5 times; 7 would show all that can go wrong
//   --> dynamic_cluster.cake:9:43
//    9 |   dynamic iter work() -> (i32) { for t in cta..2*N step ctas { yield t } }
//      |                                           ^^^^^^^^
//   why: a slot, generation or group that is used again too early is first touched by the trip that comes round to it: stages, lag and the constants of conditions, and 3 trips more
//   fix (manual): count the trips from dims, and let the guard admit small shapes with that many
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 9: at most 5 trips run of 7 needed; threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one
// global races  bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 9: at most 5 trips run of 7 needed; threads learn from each other: one order of many ran (`y` not proven)
// deadlock      bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 9: at most 5 trips run of 7 needed; threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one
// interleavings bounded        orders that ran: 1 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 9: at most 5 trips run of 7 needed; threads learn from each other: one order of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
