// mode: gates
program poll target sm_80
dim N in 1..=1000
in x: f32[N, 32]
out y: f32[N, 32], asked: i32[1]
kernel run {
  grid (1)
  ring slot[2] { v: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..N {
      acquire slot@k
      st slot.v@k[lane] <- ld x[k, lane]
      commit slot@k
    }
  }
  role drain: warps 1 {
    var times = 0
    for k in 0..N {
      var full = test(slot@k)
      while !full {
        times = (times + 1) & 1023
        full = test(slot@k)
      }
      st y[k, lane] <- ld slot.v@k[31 - lane]
      release slot@k
    }
    once { st asked[0] <- times }
  }
}
//--- expected
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        5 shapes run on the machine, all CTAs, five schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: five orders of many ran; the loop in line 10 not closed: a test of an event, so known of at most 6 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `asked` disjoint)
// deadlock      bounded        5 shapes run on the machine, all CTAs, five schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: five orders of many ran; the loop in line 10 not closed: a test of an event, so known of at most 6 trips
// interleavings bounded        orders that ran: 5 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        5 shapes run on the machine, all CTAs, five schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: five orders of many ran; the loop in line 10 not closed: a test of an event, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
