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
      let before = atomic.add.release.gpu(arrived[0], 1)
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
// error[CK2162]: `ld` of `part` by CTA 3 is not ordered after the `st` by CTA 0
//   --> fail_last_arriver_no_acquire.cake:24:40
//   24 |       for s in 0..SPLITS { total += ld part[s, lane] }
//      |                                        ^^^^^^^^^^^^^
//   15 |     st part[cta, lane] <- sum
//      |     ------------------------- `st` here by role main, warp 0, CTA 0
//   18 |       let before = atomic.add.release.gpu(arrived[0], 1)
//      |                    ------------------------------------- reads what was released, but does not acquire it
//   at: role main, cta 3, warp 0, lane 0, iteration 0, bytes 0..4, K=1
//   why: CTAs run side by side: what one writes another sees in order only if the writer releases it afterwards and the reader acquires that release first
//   fix (machine): acquire here
//     18:30: `.release` -> `.acq_rel`
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 7 boundary values of dims and args shown; 3 not run; threads learn from each other: two orders of many ran
// global races  refuted        4 shapes run on the machine, all CTAs, two schedules; 4 of 7 boundary values of dims and args shown; 3 not run; shown wrong at K=1 (`y` not proven, `part` not proven, `arrived` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 7 boundary values of dims and args shown; 3 not run; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 7 boundary values of dims and args shown; 3 not run; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
