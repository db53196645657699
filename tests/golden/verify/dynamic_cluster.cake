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
// advice[CK2532]: no run of the machine finds this condition false
//   --> dynamic_cluster.cake:9:43
//    9 |   dynamic iter work() -> (i32) { for t in cta..2*N step ctas { yield t } }
//      |                                           ^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 9); threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 8 trips
// global races  bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 9); threads learn from each other: one order of many ran (`y` not proven)
// deadlock      bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 9); threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 8 trips
// interleavings bounded        orders that ran: 1 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 9); threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 8 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
