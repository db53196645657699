// mode: gates
program split target sm_80
dim K in 1..=512
param SPLITS in 2..=8 = 4
in a: f32[32, K], b: f32[K]
out y: f32[32]
workspace part: f32[SPLITS, 32]
workspace arrived: u32[1] zero
kernel run {
  grid (SPLITS)
  smem last: i32[1]
  role main: warps 1 {
    var sum: f32 = 0.0
    for k in cta..K step SPLITS { sum += (ld a[lane, k]) * (ld b[k]) }
    st part[cta, lane] <- sum
    sync warp
    once {
      let before = atomic.add.acq_rel.gpu(arrived[0], 1)
      st last[0] <- select(before == SPLITS - 1, 1, 0)
    }
    sync warp
    if (ld last[0]) == 1 {
      var total: f32 = 0.0
      for s in 0..SPLITS { total += ld part[s, lane] }
      st y[lane] <- total
    }
  }
}
//--- expected
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        7 shapes run on the machine, all CTAs, two schedules; 7 of 7 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// global races  bounded        7 shapes run on the machine, all CTAs, two schedules; 7 of 7 boundary values of dims and args shown; threads learn from each other: two orders of many ran (`y` not proven, `part` not proven, `arrived` disjoint)
// deadlock      bounded        7 shapes run on the machine, all CTAs, two schedules; 7 of 7 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        7 shapes run on the machine, all CTAs, two schedules; 7 of 7 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
