// mode: gates
program p target sm_80
dim N in 1..=1000
in x: f32[N]
out y: f32[N]
workspace state: u32[N] zero
kernel run {
  grid (N)
  role main: warps 1 {
    once {
      if cta > 0 { while (ld.acquire.gpu state[cta - 1]) == 0 {} }
      st y[cta] <- ld x[cta]
      st.release.gpu state[cta] <- 1
    }
  }
}
//--- expected
// error[CK2165]: `state[cta - 1]` is polled by a resident CTA and would be written by one that is not: 1 of 2 CTAs are resident
//   --> fail_wait_for_lower_cta.cake:11:26
//   11 |       if cta > 0 { while (ld.acquire.gpu state[cta - 1]) == 0 {} }
//      |                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 1, warp 0, iteration 2, N=2
//   why: a CTA starts when another ends; which ones start first is not defined, so a CTA may wait only for CTAs that are surely running: those with lower tickets, or all of a grid that fits
//   fix (manual): take the number of the tile as a ticket: `atomic.add.relaxed.gpu(ticket[0], 1)` on a `zero` workspace, and wait for lower ones only; or launch `grid (SMS)` and loop
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `state` disjoint)
// deadlock      refuted        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; shown wrong at N=2
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; threads learn from each other: two orders of many ran
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
