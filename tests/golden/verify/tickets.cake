// mode: gates
program p target sm_80
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
workspace ticket: i32[1] zero
kernel run {
  grid (N)
  role main: warps 1 {
    var mine: i32 = 0
    once { mine = atomic.add.relaxed.gpu(ticket[0], 1) }
    let tile = lanes.first(mine, 32)
    if tile >= 0 && tile < N { st y[tile, lane] <- ld x[tile, lane] }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> tickets.cake:13:8
//   13 |     if tile >= 0 && tile < N { st y[tile, lane] <- ld x[tile, lane] }
//      |        ^^^^^^^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 13); threads learn from each other: two orders of many ran
// global races  bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 13); threads learn from each other: two orders of many ran (`y` not proven, `ticket` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 13); threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 13); threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
