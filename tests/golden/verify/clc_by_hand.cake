// mode: gates
program p target sm_100
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
kernel k {
  grid (N)
  smem answer[2]: u64[2]
  event told[2] count 1
  event read[2] count 1
  role ask: warps 1 {
    var t = cta
    var k = 0
    while t >= 0 && t < N && k < 1000 {
      wait read@(k - 2)
      clc.try_cancel answer@k on told@k
      expect told@k
      wait told@k
      let a = ld answer@k[0:+2]
      t = clc.cta(a[0], a[1])
      k += 1
    }
  }
  role work: warps 1 {
    var t = cta
    var k = 0
    while t >= 0 && t < N && k < 1000 {
      st y[t, lane] <- 2.0 * (ld x[t, lane])
      wait told@k
      let a = ld answer@k[0:+2]
      arrive read@k
      t = clc.cta(a[0], a[1])
      k += 1
    }
  }
}
//--- expected
// advice[CK2590]: no run of the machine repeats this loop more than 6 times; 7 would show all that can go wrong
//   --> clc_by_hand.cake:14:5
//   14 |     while t >= 0 && t < N && k < 1000 {
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: a slot, generation or group that is used again too early is first touched by the trip that comes round to it: stages, lag and the constants of conditions, and 3 trips more
//   fix (manual): count the trips from dims, and let the guard admit small shapes with that many
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         3 of 3 vector accesses proved, for every shape that the guard admits
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 14: at most 6 trips run of 7 needed; threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// global races  bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 14: at most 6 trips run of 7 needed; threads learn from each other: one order of many ran (`y` not proven)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 14: at most 6 trips run of 7 needed; threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// interleavings bounded        orders that ran: 1 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; loop in line 14: at most 6 trips run of 7 needed; threads learn from each other: one order of many ran; the loops of a kernel not closed: loops that stand under a condition or end by one, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
