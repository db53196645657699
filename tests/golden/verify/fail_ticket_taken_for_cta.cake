// mode: gates
program order target sm_80
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
workspace ticket: i32[1] zero
kernel run {
  grid (N)
  smem s: f32[32]
  role main: warps 1 {
    var mine: i32 = 0
    once { mine = atomic.add.relaxed.gpu(ticket[0], 1) }
    let t = lanes.first(mine, 32)
    st s[lane] <- ld x[cta, lane]
    if t == cta { sync warp }
    st y[cta, lane] <- ld s[31 - lane]
  }
}
//--- expected
// error[CK2021]: `ld` of `s` by lane 0 is not ordered after the `st` by lane 31 of the same warp
//   --> fail_ticket_taken_for_cta.cake:16:27
//   16 |     st y[cta, lane] <- ld s[31 - lane]
//      |                           ^^^^^^^^^^^^
//   14 |     st s[lane] <- ld x[cta, lane]
//      |     ----------------------------- written here by role main, warp 0
//   at: role main, cta 1, warp 0, lane 0, bytes 124..128, N=2
//   why: lanes of a warp do not run in lockstep; `sync warp` or a wider barrier orders their accesses
//   fix (maybe): insert `sync warp` before this statement
//     16:5: insert `sync warp\n    `
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; shown wrong at N=2
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `ticket` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
