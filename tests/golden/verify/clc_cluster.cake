// mode: gates
program p target sm_100a
dim N in 1..=32
in x: f32[2*N, 32]
out y: f32[2*N, 32]
kernel k {
  cluster 2
  grid (2*N)
  smem answer[1]: u64[2]
  event told[1] count 1
  event read[1] count 2
  role main: warps 1 {
    var t = cta
    var k = 0
    while t >= 0 && k < 1000 {
      expect told@k bytes 16
      if cluster.rank == 0 {
        wait.cluster read@(k - 1)
        clc.try_cancel answer@k on told@k multicast 3
      }
      if t < 2*N { st y[t, lane] <- 2.0 * (ld x[t, lane]) }
      wait told@k
      let a = ld answer@k[0:+2]
      let first = clc.cta(a[0], a[1])
      t = -1
      if first >= 0 && first < 2*N - 1 { t = first + cluster.rank }
      arrive read@k at 0
      k += 1
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> clc_cluster.cake:21:10
//   21 |       if t < 2*N { st y[t, lane] <- 2.0 * (ld x[t, lane]) }
//      |          ^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
//
// advice[CK2532]: no run of the machine finds this condition false
//   --> clc_cluster.cake:26:24
//   26 |       if first >= 0 && first < 2*N - 1 { t = first + cluster.rank }
//      |                        ^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         bounded        7 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; 2 places never executed (line 21, 26); threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 7 trips
// global races  bounded        7 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; 2 places never executed (line 21, 26); threads learn from each other: one order of many ran (`y` not proven)
// deadlock      bounded        7 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; 2 places never executed (line 21, 26); threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 7 trips
// interleavings bounded        orders that ran: 1 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        7 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; 2 places never executed (line 21, 26); threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 7 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
