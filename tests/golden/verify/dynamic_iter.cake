// mode: gates
program p target sm_80
dim N in 0..=4096
in x: f32[N, 128]
out y: f32[N, 128]
kernel k {
  grid (SMS)
  ring tile[2] { v: f32[128] } from load to math
  dynamic iter work() -> (i32) { for t in cta..N step ctas { yield t } }
  role load: warps 1 {
    var k = 0
    for t in work() {
      acquire tile@k
      st tile.v@k[lane*4:+4] <- ld x[t, lane*4:+4]
      commit tile@k
      k += 1
    }
  }
  role math: warps 4 {
    var k = 0
    for t in work() {
      wait tile@k
      st y[t, thread] <- (ld tile.v@k[127 - thread]) * 2.0
      release tile@k
      k += 1
    }
  }
}
//--- expected
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         bounded        5 shapes run on the machine, all CTAs, two schedules; 6 of 6 boundary values of dims and args shown; threads learn from each other: two orders of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// global races  bounded        5 shapes run on the machine, all CTAs, two schedules; 6 of 6 boundary values of dims and args shown; threads learn from each other: two orders of many ran (`y` not proven, `k.work` disjoint)
// deadlock      bounded        5 shapes run on the machine, all CTAs, two schedules; 6 of 6 boundary values of dims and args shown; threads learn from each other: two orders of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        5 shapes run on the machine, all CTAs, two schedules; 6 of 6 boundary values of dims and args shown; threads learn from each other: two orders of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
