// mode: gates
program p target sm_90
in x: f32[6, 64]
out y: f32[6, 32]
kernel k {
  grid (1)
  ring slot[3] {
    either { wide: f32[1, 64] } or { low: f32[1, 32]; high: f32[1, 32] }
  } from load to math
  role load: warps 1 {
    for i in 0 .. 6 {
      acquire slot@i
      if i % 2 == 0 {
        tma.load slot.wide@i <- x[i:+1, :]
      } else {
        tma.load slot.low@i <- x[i:+1, 0:+32]
        tma.load slot.high@i <- x[i:+1, 32:+32]
      }
      commit slot@i
    }
  }
  role math: warps 1 {
    for i in 0 .. 6 {
      wait slot@i
      var v = 0.0
      if i % 2 == 0 {
        v = (ld slot.wide@i[0, lane]) + (ld slot.wide@i[0, lane + 32])
      } else {
        v = (ld slot.low@i[0, lane]) + (ld slot.high@i[0, lane])
      }
      release slot@i
      st y[i, lane] <- v
    }
  }
}
//--- expected
// bounds        proved         11 of 11 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
